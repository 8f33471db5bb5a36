import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the portal and the server, unless `dist` has a build of the same sources. */
export function buildServer(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}
