import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharedChromium } from '#support/browsers/chromium.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { openWatchedPage } from '#support/browsers/watched-page.ts'
import { type Portal, startPortal } from '#support/servers/portal.ts'
import {
  type ReleaseCheckout,
  createReleaseCheckout,
  importedWorkerFile,
} from '#support/servers/release-checkout.ts'

let checkout: ReleaseCheckout
let portal: Portal

beforeAll(async () => {
  checkout = createReleaseCheckout()
  portal = await startPortal({}, { folder: checkout.folder })
})
afterAll(async () => {
  await portal?.close()
  checkout?.remove()
})

it('keeps the old service worker until the server has the code of the new one (D132)', async () => {
  const { page, context } = await openWatchedPage(await sharedChromium(), { origin: portal.origin })
  await page.goto('/')
  await waitForWorker(page)
  // During an upgrade, the new process answers with `sw.js`, and the old process answers 404 for the code.
  const addCode = releaseWithoutCode()
  expect(await update(page)).toBe('refused')
  expect(await workersOf(page)).toEqual({ active: true, waiting: false })
  await context.setOffline(true)
  await page.reload()
  await page.locator('h1').waitFor()
  await context.setOffline(false)
  addCode()
  expect(await update(page)).toBe('found')
  await expect.poll(() => workersOf(page)).toEqual({ active: true, waiting: true })
  await context.close()
})

/** Gives the code another name in `sw.js` only. The returned function adds the file. */
function releaseWithoutCode(): () => void {
  const built = join(checkout.folder, 'dist/client')
  const script = readFileSync(join(built, 'sw.js'), 'utf8')
  const code = importedWorkerFile(script)
  const next = 'assets/service-worker-00000000.js'
  for (const ending of ['.br', '.gz']) rmSync(join(built, `sw.js${ending}`))
  // Renamed, so that no request reads half of the file.
  writeFileSync(join(built, 'sw.next'), script.replace(code, next))
  renameSync(join(built, 'sw.next'), join(built, 'sw.js'))
  return () => copyFileSync(join(built, code), join(built, next))
}

/** Checks for a new service worker, as the browser does on a navigation and once a day. */
function update(page: Page): Promise<'found' | 'refused'> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    return registration.update().then(
      () => 'found' as const,
      () => 'refused' as const,
    )
  })
}

function workersOf(page: Page): Promise<{ active: boolean; waiting: boolean }> {
  return page.evaluate(async () => {
    const { active, waiting } = await navigator.serviceWorker.ready
    return { active: active?.state === 'activated', waiting: waiting !== null }
  })
}
