import { execFileSync } from 'node:child_process'

/** Installs packages with apt-get if the system is Linux and the user is root. Returns whether this succeeded. */
export function installWithApt(packages: string[]): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  process.stdout.write(`Installing ${packages.join(', ')}…\n`)
  const lockOptions = ['-o', 'DPkg::Lock::Timeout=300']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    execFileSync('apt-get', [...lockOptions, 'update', '-qq'], { stdio: 'ignore', env })
    execFileSync(
      'apt-get',
      [...lockOptions, 'install', '-y', '-qq', '--no-install-recommends', ...packages],
      {
        stdio: 'ignore',
        env,
      },
    )
    return true
  } catch {
    return false
  }
}
