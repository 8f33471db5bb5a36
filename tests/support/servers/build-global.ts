import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { findChromium } from '#support/browsers/chromium.ts'
import { gateway } from '#support/data/hostile-card-pages.ts'
import { type Portal, runPortal } from './portal.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder with the data of a portal that was started once and never used. */
    unusedData: string
    /** Origin and data folder of the portal that the test files share. */
    sharedPortal: { origin: string; dataDir: string }
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const unusedData = mkdtempSync(join(tmpdir(), 'unused-portal-'))
/** All tests request codes from one network address. Two files fake the gateway of a card page. */
const sharedEnvironment = { NETWORK_CODES_PER_HOUR: '100000', CARD_ORIGINS: gateway }
let portal: Portal | undefined

/** Prepares the browser tests: a browser, a build of the sources, initial data and a running portal. */
export async function setup(project: TestProject): Promise<void> {
  findChromium()
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
  portal = await runPortal({ environment: sharedEnvironment, folder: root })
  await portal.stop()
  cpSync(portal.dataDir, unusedData, { recursive: true })
  await portal.start()
  const { origin, dataDir } = portal
  project.provide('unusedData', unusedData)
  project.provide('sharedPortal', { origin, dataDir })
}

export async function teardown(): Promise<void> {
  await portal?.close()
  rmSync(unusedData, { recursive: true, force: true })
}
