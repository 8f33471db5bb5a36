import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installWithApt } from '#support/install-with-apt.ts'

type Found = { kind: 'found'; path: string } | { kind: 'absent'; reason: string }

const paths = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox']

export function findFirefox({ mayInstall }: { mayInstall: boolean }): Found {
  const chosen = process.env['FIREFOX_PATH']
  const installed = () => [chosen, ...paths].find(path => path !== undefined && existsSync(path))
  if (installed() === undefined && mayInstall) installWithApt(['firefox-esr', 'libnss3-tools'])
  const path = installed()
  return path === undefined
    ? { kind: 'absent', reason: 'Firefox is not installed (Debian: apt-get install firefox-esr)' }
    : { kind: 'found', path }
}

/**
 * Adds the certificate to the authorities of the profile. When certutil is missing or fails, the pages still open, because
 * of `acceptInsecureCerts` in engine-list.ts, but Firefox may refuse the service worker.
 */
export function trustInFirefox(profile: string, certificatePath: string): void {
  try {
    const database = ['-d', `sql:${profile}`]
    execFileSync('certutil', ['-N', '--empty-password', ...database])
    execFileSync('certutil', ['-A', '-n', 'engine tests', '-t', 'CP,,', '-i', certificatePath, ...database])
  } catch {
    process.stdout.write(
      'certutil is missing (Debian: libnss3-tools) or has failed: Firefox may refuse the service worker.\n',
    )
  }
}
