import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of libfaketime for programs with threads, or undefined. Installs Debian's package if it may. */
export function findFaketime() {
  return installedFaketime() ?? (install() ? installedFaketime() : undefined)
}

function installedFaketime() {
  if (process.platform !== 'linux') return undefined
  const folders = ['/usr/lib', '/usr/lib64', '/usr/local/lib'].filter(existsSync)
  return folders
    .flatMap(folder => [folder, ...readdirSync(folder).map(name => join(folder, name))])
    .map(folder => join(folder, 'faketime', 'libfaketimeMT.so.1'))
    .find(existsSync)
}

function install() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  process.stdout.write('libfaketime is missing; installing it…\n')
  try {
    for (const options of [
      ['update', '-qq'],
      ['install', '-y', '-qq', 'faketime'],
    ])
      execFileSync('apt-get', options, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    return true
  } catch {
    return false // the caller handles the missing library
  }
}
