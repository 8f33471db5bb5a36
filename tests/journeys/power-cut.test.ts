import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { createKillableBrowser, type KillableBrowser } from '#support/browsers/killable-browser.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { type Portal, startPortal, until } from '#support/servers/portal.ts'
import { isFullRun } from '#support/test-tier.ts'

const phone = '671300031'
let portal: Portal
let browser: KillableBrowser

beforeEach(async () => {
  portal = await startPortal()
  browser = createKillableBrowser()
})
afterEach(async () => {
  await browser.close()
  await portal.close()
})

/** Browsers write localStorage seconds later; here the kill loses all of it. */
describe('a browser that is killed before it writes localStorage to the disk (D64)', () => {
  it.runIf(isFullRun)(
    'opens the form with the typed answer, in the chosen language, when it starts again without a connection',
    async () => {
      const { page, applicant } = await openPage('en')
      await page.goto(portal.origin)
      await page.getByRole('button', { name: 'EN', exact: true }).click()
      await applicant.signInByPhone(phone)
      await applicant.startApplication()
      await applicant.named('travelDestination').fill('Gabon')
      await page
        .getByText(applicant.t('form.kept'))
        .or(page.getByText(applicant.t('form.onServer')))
        .first()
        .waitFor()
      await waitForCachedForm(page)
      const address = page.url()
      await browser.kill({ losesLocalStorage: true })
      await portal.stop()

      const next = await openPage('en')
      await next.page.goto(address)
      await next.applicant.heading('tab.GeneralData')
      await expect.poll(() => next.applicant.named('travelDestination').inputValue()).toBe('Gabon')
    },
  )

  it.runIf(isFullRun)('stays signed out after a log-out', async () => {
    const { page, applicant } = await openPage('fr')
    await page.goto(portal.origin)
    await applicant.signInByPhone(phone)
    await applicant.startApplication()
    await waitForCachedForm(page)
    const address = page.url()
    await page.goto(`${portal.origin}/procedure`)
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await expect.poll(async () => Object.keys((await readPageStores(page)).settings)).not.toContain('session')
    await browser.kill({ losesLocalStorage: true })
    await portal.stop()

    const next = await openPage('fr')
    await next.page.goto(address)
    await next.page.getByText(next.applicant.t('notice.signIn')).first().waitFor()
    await next.applicant.heading('welcome.heading')
  })

  it.runIf(isFullRun)('stays a kiosk (D38)', async () => {
    const { page, applicant } = await openPage('fr')
    await page.goto(`${portal.origin}/?kiosk=3`)
    await applicant.heading('welcome.heading')
    await expect
      .poll(async () => (await readPageStores(page)).settings)
      .toMatchObject({ 'device-use': 'kiosk:3' })
    await browser.kill({ losesLocalStorage: true })

    const next = await openPage('fr')
    await next.page.goto(`${portal.origin}/mobile`)
    await next.applicant.heading('mobile.heading')
    await expect.poll(() => next.page.evaluate(() => localStorage.getItem('device-use'))).toBe('kiosk:3')
    await expect.poll(() => next.page.getByLabel(next.applicant.t('signIn.shared')).count()).toBe(0)
  })
})

/**
 * After such a kill the log of the databases ends with half a record. At its next start Chromium continues the same
 * log, and at the start after that it deletes all databases, unless the portal has made Chromium begin a new log
 * (store/renew-database-log.ts).
 */
describe('a browser that is killed in the middle of a write (D30, D64)', () => {
  it.runIf(isFullRun)(
    'keeps the answer that was typed after the restart and never reached the server',
    async () => {
      const first = await openPage('fr')
      await first.page.goto(portal.origin)
      await first.applicant.signInByPhone(phone)
      await first.applicant.startApplication()
      const address = first.page.url()
      await first.applicant.named('travelDestination').fill('Gabon')
      await first.page.getByText(first.applicant.t('form.onServer')).waitFor()
      await browser.kill({ cutsLastWrite: true })
      const cutLogs = browser.databaseLogs()
      expect(cutLogs).toHaveLength(1)

      const { page, applicant } = await openPage('fr')
      await page.route('**/applications/*/data*', route =>
        route.request().method() === 'POST' ? route.abort('connectionfailed') : route.continue(),
      )
      await page.goto(address)
      await applicant.heading('tab.GeneralData')
      await applicant.named('reasonForTravel').fill('Famille')
      await page.getByText(applicant.t('form.waiting')).waitFor()
      await until(
        'a new log',
        async () => browser.databaseLogs().every(log => !cutLogs.includes(log)) || undefined,
      )
      await browser.kill()

      const next = await openPage('fr')
      await next.page.goto(address)
      await next.applicant.heading('tab.GeneralData')
      expect(await next.applicant.named('reasonForTravel').inputValue()).toBe('Famille')
    },
  )
})

async function openPage(
  language: 'fr' | 'en',
): Promise<{ context: BrowserContext; page: Page; applicant: Applicant }> {
  const context = await browser.open()
  const page = context.pages()[0] ?? (await context.newPage())
  return { context, page, applicant: createApplicant(page, portal, language) }
}

async function waitForCachedForm(page: Page) {
  await until('the form, the English texts and the places to be cached', async () => {
    const urls = await page.evaluate(async () => {
      const names = await caches.keys()
      const requests = await Promise.all(
        names.map(async name => [...(await (await caches.open(name)).keys())].map(({ url }) => url)),
      )
      return requests.flat()
    })
    const has = (part: string) => urls.some(url => url.includes(part))
    return ['/assets/form-', '/assets/en-rest-', '/dictionary/home-places'].every(has) ? true : undefined
  })
}
