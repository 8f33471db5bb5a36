import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPaidApplication } from '#support/browsers/application-by-calls.ts'
import { until } from '#support/servers/portal.ts'
import { waitForWorker } from '#support/browsers/wait-for-worker.ts'
import { showReceipt } from '#support/browsers/show-receipt.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({})

describe('the portal, opened while the server cannot be reached', () => {
  it('opens the list and the form, offers the lists of places in both languages, and sends the form when the server is back (D23, D35, S92)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr')
    await applicant.signInByPhone('671000020')
    await applicant.startApplication()
    await applicant.named('travelDestination').fill('Gabon')
    await applicant.waitForSavedAnswers()
    const number = await applicant.applicationNumber()
    await waitForCachedForm(page)
    await saveList(applicant, number)
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
    await expect.poll(() => french.named('travelDestination').inputValue()).toBe('Gabon')
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
    await offlinePage.getByText(english.t('notice.unreachable')).first().waitFor({ state: 'detached' })
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
    const number = await openPaidApplication(applicant, '671000022')
    await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).click()
    await applicant.heading('appointment.heading')
    await applicant.bookPlace()
    await applicant.finalize()
    await waitForWorker(page)
    await showReceipt(applicant)
    expect(faults).toEqual({ requests: [], console: [] })
    await saveList(applicant, number)
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
    const { page, context, applicant } = await fixture.openSignedIn('fr', '671000023')
    await applicant.startApplication()
    await applicant.fillGeneral(firstPassport)
    await applicant.continueTo('tab.PersonData')
    await waitForCachedForm(page)
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    // The worker still loads the files that no screen has asked for.
    await expect.poll(async () => (await page.evaluate(readCachedUrls)).length).toBeGreaterThan(100)
    const cached = await page.evaluate(readCaches)
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

/** Waits for the places in both languages, and for files of the form, of the later screens and of English. */
async function waitForCachedForm(page: Page) {
  await until('both languages to be prefetched', async () => {
    const urls = await page.evaluate(readCachedUrls)
    const count = (part: string) => urls.filter(url => url.includes(part)).length
    const hasFiles = ['/assets/form-', '/assets/later-', '/assets/en-rest-'].every(part => count(part) > 0)
    return hasFiles && count('/dictionary/home-places') === 2 ? true : undefined
  })
}

/** Opens the list, and waits until the device has saved the answer of the server: the page shows it before that. */
async function saveList({ page, heading }: Applicant, number: string) {
  const before = await page.evaluate(readSavedList)
  await page.goto('/procedure')
  await heading('procedure.heading')
  await page.getByText(number).first().waitFor()
  await until('the list to be saved', async () =>
    (await page.evaluate(readSavedList)) === before ? undefined : true,
  )
}

/** Runs in the page: returns the encrypted list, which is another text after each write. Undefined when none is saved. */
async function readSavedList(): Promise<string | undefined> {
  const opening = indexedDB.open('portal')
  await new Promise(resolve => opening.addEventListener('success', resolve))
  const reading = opening.result.transaction('seen').objectStore('seen').getAll()
  await new Promise(resolve => reading.addEventListener('success', resolve))
  opening.result.close()
  const rows: { name: string }[] = reading.result
  const list = rows.find(({ name }) => name.startsWith('listApplications'))
  return JSON.stringify(list, (_, value: unknown) => {
    if (value instanceof ArrayBuffer) return [...new Uint8Array(value)]
    return value instanceof Uint8Array ? [...value] : value
  })
}

/** Runs in the page: returns the addresses of all cached responses. It reads no file: that would take seconds. */
async function readCachedUrls(): Promise<string[]> {
  const names = await caches.keys()
  const requests = await Promise.all(names.map(async name => (await caches.open(name)).keys()))
  return requests.flat().map(({ url }) => url)
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
