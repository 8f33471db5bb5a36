import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.ts'

/** Before the browser tests: a browser, and a build of the sources as they are. */
export function setup() {
  findChromium()
  const root = fileURLToPath(new URL('../..', import.meta.url))
  execFileSync(process.execPath, ['server/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
}
