import { execFileSync } from 'node:child_process'

/** Installs packages where this is Debian and the user is root; returns whether apt-get succeeded. */
export function installDebian(packages: string[]): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  process.stdout.write(`Installing ${packages.join(', ')}…\n`)
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    execFileSync('apt-get', [...wait, 'update', '-qq'], { stdio: 'ignore', env })
    execFileSync('apt-get', [...wait, 'install', '-y', '-qq', '--no-install-recommends', ...packages], {
      stdio: 'ignore',
      env,
    })
    return true
  } catch {
    return false
  }
}
