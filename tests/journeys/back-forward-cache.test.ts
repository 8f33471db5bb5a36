import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { findWindowedChromium, launchWithProfile, noWindowReason } from '#support/browsers/chromium.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off' })
/** The headless shell has no back/forward cache. */
const windowed = findWindowedChromium()
const profiles: string[] = []

afterAll(() => {
  for (const profile of profiles) rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
})

describe.runIf(isFullRun)('the back button after the end of a session (D31)', () => {
  beforeEach(({ skip }) => {
    if (windowed === undefined) skip(noWindowReason)
  })

  it('can restore a page from the cache of this browser', async () => {
    const { context, page } = await openBrowser()
    await page.goto('/legal')
    await page.goto('/health')
    await goBack(page)
    await expect.poll(() => isFromCache(page)).toBe(true)
    await context.close()
  })

  it.each([
    ['their own device, after a log-out', '/', '677 31 31 31', logOut, 'welcome.heading'],
    [
      'a shared device, to the next applicant',
      '/?shared=1',
      '677 32 32 32',
      signInAsAnother,
      'procedure.heading',
    ],
  ] as const)('shows no application of the applicant on %s', async (_, start, phone, endSession, heading) => {
    const { context, page, applicant } = await openBrowser()
    await page.goto(start)
    await applicant.signInByPhone(phone)
    await applicant.startApplication()
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    // Another document, so that the browser may put the page of the list into its cache.
    await page.goto('/health')
    const other = createApplicant(await context.newPage(), fixture.portal(), 'fr')
    await endSession(other)
    await goBack(page)
    await applicant.heading(heading)
    expect(await page.getByRole('article').count()).toBe(0)
    // The other tab made the browser drop the page from the cache. `masked`: the browser does not tell the reason.
    const [reason] = await notRestoredReasons(page)
    expect(['broadcastchannel-message', 'weblocks-contention', 'masked']).toContain(reason)
    await context.close()
  })
})

/** A page from the cache has no `load` event. */
async function goBack(page: Page) {
  await page.goBack({ waitUntil: 'commit' })
}

/** Whether the browser has restored the page from its back/forward cache. */
async function isFromCache(page: Page): Promise<boolean> {
  return page.evaluate(() => (globalThis as { wasRestored?: boolean }).wasRestored === true)
}

/** Why the browser has not restored the page from its cache (HTML standard, `notRestoredReasons`). */
async function notRestoredReasons(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation')
    // TypeScript does not know this property yet.
    const { notRestoredReasons: found } = entry as unknown as {
      notRestoredReasons: { reasons: { reason: string }[] } | null
    }
    return found?.reasons.map(each => each.reason) ?? []
  })
}

async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'profile-'))
  profiles.push(profile)
  const context = await launchWithProfile(profile, {
    ...(windowed === undefined ? {} : { executablePath: windowed }),
    // Playwright turns the cache off.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    baseURL: fixture.portal().origin,
    viewport: { width: 360, height: 640 },
    locale: 'fr-CM',
  })
  await context.addInitScript(() =>
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) Object.assign(globalThis, { wasRestored: true })
    }),
  )
  const page = context.pages()[0] ?? (await context.newPage())
  return { context, page, applicant: createApplicant(page, fixture.portal(), 'fr') }
}

async function logOut({ page, t, heading }: Applicant) {
  await page.goto('/procedure')
  await heading('procedure.heading')
  await page.getByRole('button', { name: t('button.logOut') }).click()
  await heading('welcome.heading')
}

/** The cookie of the second applicant replaces that of the first (D31). */
async function signInAsAnother(other: Applicant) {
  await other.page.goto('/?shared=1')
  await other.signInByPhone('677 33 33 33')
}
