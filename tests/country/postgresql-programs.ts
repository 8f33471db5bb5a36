import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const debian = '/usr/lib/postgresql'

/**
 * Returns the folder of Debian's PostgreSQL, with its client programs. Installs the package if it may; undefined when there
 * is none. The PostgreSQL from npm has no pg_dump and no pg_basebackup.
 */
export function findPostgresqlPrograms(): string | undefined {
  return installed() ?? (install() ? installed() : undefined)
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

function install(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  process.stdout.write('PostgreSQL is missing; installing it…\n')
  try {
    for (const options of [
      ['update', '-qq'],
      ['install', '-y', '-qq', 'postgresql'],
    ])
      execFileSync('apt-get', options, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    return true
  } catch {
    return false // the caller says that it is missing
  }
}
