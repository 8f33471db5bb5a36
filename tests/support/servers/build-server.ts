import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the portal and the server. Reuses the build of an earlier test if the sources are the same. */
export function buildServer(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}
