import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { findChromium } from '#support/browsers/chromium.ts'
import { gateway } from '#support/data/hostile-card-pages.ts'
import { newDatabaseIn, type Portal, runPortal } from './portal.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Origin and data folder of the portal that the test files share. */
    sharedPortal: { origin: string; dataDir: string }
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** All tests request codes from one network address. Some files fake the gateway of a card page. */
const sharedEnvironment = { NETWORK_CODES_PER_HOUR: '100000', CARD_ORIGINS: gateway }
let portal: Portal | undefined

/** Prepares the browser tests: a browser, a build of the sources and a running portal, on PostgreSQL if the machine has one. */
export async function setup(project: TestProject): Promise<void> {
  findChromium()
  execFileSync(process.execPath, ['server/start/start.mjs', '--build-only'], { cwd: root, stdio: 'inherit' })
  const { postgresql } = project.getProvidedContext()
  const environment = { ...sharedEnvironment, ...(await newDatabaseIn(postgresql)) }
  portal = await runPortal({ environment, folder: root })
  const { origin, dataDir } = portal
  project.provide('sharedPortal', { origin, dataDir })
}

export async function teardown(): Promise<void> {
  await portal?.close()
}
