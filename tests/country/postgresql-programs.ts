import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installWithApt } from '#support/install-with-apt.ts'

const debian = '/usr/lib/postgresql'

/**
 * Returns the folder of Debian's PostgreSQL, with its client programs. Installs the package where apt and root allow it;
 * undefined when there is still no such folder. The PostgreSQL from npm has initdb, but no client programs such as
 * pg_basebackup and pg_dump.
 */
export function findPostgresqlPrograms(): string | undefined {
  return installed() ?? (installWithApt(['postgresql']) ? installed() : undefined)
}

function installed(): string | undefined {
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const folders = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map(version => join(debian, version, 'bin'))
  return folders.find(
    folder => existsSync(join(folder, 'pg_basebackup')) && existsSync(join(folder, 'initdb')),
  )
}
