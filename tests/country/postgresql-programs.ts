import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installWithApt } from '#support/install-with-apt.ts'

const debian = '/usr/lib/postgresql'

/**
 * Returns the folder of Debian's PostgreSQL, with its client programs. Installs the package if it may; undefined when there
 * is none. The PostgreSQL from npm has no pg_dump and no pg_basebackup.
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
