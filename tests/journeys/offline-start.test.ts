import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { until } from '#support/servers/portal.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { showReceipt } from '#support/browsers/show-receipt.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({})

describe('the installed app, started while the server is stopped', () => {
  it('opens the list and the form, offers all places in both languages, and sends the form when the server is back (D23, D35, S92)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671000020')
    await applicant.startApplication()
    await applicant.named('travelDestination').fill('Gabon')
    await page
      .getByText(applicant.t('form.kept'))
      .or(page.getByText(applicant.t('form.onServer')))
      .first()
      .waitFor()
    const number = await applicant.applicationNumber()
    await waitForCachedHomePlaces(page)
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    await page.getByText(number).first().waitFor()
    await page.close()
    await fixture.portal().stop()

    const offlinePage = await context.newPage()
    const french = createApplicant(offlinePage, fixture.portal(), 'fr')
    await offlinePage.goto('/')
    await offlinePage.getByRole('link', { name: french.t('welcome.toProcedure') }).click()
    await french.heading('procedure.heading')
    await offlinePage.getByText(number).first().waitFor()
    await offlinePage.getByRole('link', { name: new RegExp(number) }).click()
    await french.heading('tab.GeneralData')
    expect(await french.named('travelDestination').inputValue()).toBe('Gabon')
    await french.fillGeneral(firstPassport)
    await french.continueTo('tab.PersonData')
    await french.fillPerson(firstPassport)
    await offlinePage.getByRole('button', { name: 'EN', exact: true }).click()
    const english = createApplicant(offlinePage, fixture.portal(), 'en')
    await english.heading('tab.PersonData')
    await chooseOtherPlace(english)
    await english.fillPerson(firstPassport)
    await english.continueTo('tab.ParentData')
    await english.fillParents(firstPassport)
    await english.continueTo('tab.NicData')
    await english.fillDocuments(firstPassport)

    await fixture.portal().start()
    await offlinePage
      .getByText(english.t('notice.unreachable'))
      .first()
      .waitFor({ state: 'detached', timeout: 40_000 })
    await english.button('button.submit').click()
    await english.heading('confirm.heading')
    await context.close()
  })

  it.runIf(isFullRun)('shows the welcome page instead of the list after a log-out', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671000021')
    await applicant.startApplication()
    await waitForWorker(page)
    await page.goto('/procedure')
    await page.getByRole('button', { name: applicant.t('button.logOut') }).click()
    await applicant.heading('welcome.heading')
    await context.setOffline(true)
    await page.goto('/procedure')
    await page.getByText(applicant.t('notice.signIn')).first().waitFor()
    await applicant.heading('welcome.heading')
    await context.close()
  })
})

describe('a receipt that was shown before', () => {
  it('is rendered by pdf.js, and opens again while the server is stopped (D37, S97)', async () => {
    const { page, context, applicant, faults } = await fixture.openWelcome('en')
    await applicant.signInByPhone('671000022')
    await applicant.startApplication()
    const number = await applicant.applicationNumber()
    await applicant.fillForm({ ...firstPassport, phoneNumber: '671000022' })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await applicant.bookPlace()
    await applicant.finalize()
    await waitForWorker(page)
    await showReceipt(applicant)
    expect(faults).toEqual({ requests: [], console: [] })
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    await page.getByText(number).first().waitFor()
    await page.close()
    await fixture.portal().stop()

    const offlinePage = await context.newPage()
    const offline = createApplicant(offlinePage, fixture.portal(), 'en')
    await offlinePage.goto('/procedure')
    await offlinePage.getByRole('link', { name: new RegExp(number) }).click()
    await offline.heading('final.heading')
    await showReceipt(offline)
    expect((await offline.downloadReceipt()).suggestedFilename()).toBe(`${number}.pdf`)
    await context.close()
    await fixture.portal().start()
  })
})

describe('the caches of the service worker', () => {
  it('contain the portal and the public lists, but no token and no contact (D35, S94)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671000023')
    await applicant.startApplication()
    await applicant.fillGeneral(firstPassport)
    await applicant.continueTo('tab.PersonData')
    await waitForCachedHomePlaces(page)
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    const cached = await page.evaluate(readCaches)
    expect(cached.length).toBeGreaterThan(100)
    const api = cached.filter(({ url }) => url.includes('/api/'))
    for (const { url } of api)
      expect(url).toMatch(/\/api\/v1\/(?:dictionary\/[a-z-]+|applications\/countries)\?[\w=&-]*$/)
    for (const { url, headers, text } of cached) {
      expect(headers, url).not.toMatch(/authorization|bearer|set-cookie/i)
      expect(text, url).not.toMatch(/671000023|eyJ[\w-]{20}/)
    }
    await context.close()
  })
})

async function chooseOtherPlace(applicant: Applicant) {
  const region = applicant.named('regionCode')
  await region.selectOption('NORTH-WEST')
  await applicant.named('departmentCode').selectOption('MEZAM')
  await expect.poll(() => applicant.named('localityId').locator('option').count()).toBeGreaterThan(2)
}

async function waitForCachedHomePlaces(page: Page) {
  await until('both languages to be prefetched', async () => {
    const cached = await page.evaluate(readCaches)
    return cached.filter(({ url }) => url.includes('/dictionary/home-places')).length === 2 ? true : undefined
  })
}

/** Runs in the page: returns all responses that the service worker has cached, with the headers as JSON. */
async function readCaches(): Promise<{ url: string; headers: string; text: string }[]> {
  const found: { url: string; headers: string; text: string }[] = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const response = await cache.match(request, { ignoreVary: true })
      const headers = JSON.stringify([[...request.headers], [...(response?.headers ?? [])]])
      found.push({ url: request.url, headers, text: (await response?.text()) ?? '' })
    }
  }
  return found
}
