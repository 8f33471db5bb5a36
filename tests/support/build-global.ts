import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { findChromium } from './chromium.ts'
import { runPortal } from './portal.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with the data of a portal that was started once and met by nobody. */
    unusedData: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const unusedData = mkdtempSync(join(tmpdir(), 'unused-portal-'))

/** Before the browser tests: a browser, a build of the sources as they are, and data to begin with. */
export async function setup(project: TestProject): Promise<void> {
  findChromium()
  execFileSync(process.execPath, ['server/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
  const portal = await runPortal({ environment: {}, folder: root })
  await portal.stop()
  cpSync(portal.dataDir, unusedData, { recursive: true })
  await portal.close()
  project.provide('unusedData', unusedData)
}

export function teardown(): void {
  rmSync(unusedData, { recursive: true, force: true })
}
