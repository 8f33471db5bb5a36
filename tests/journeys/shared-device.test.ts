import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { launchWithProfile } from '#support/browsers/chromium.ts'
import { createKillableBrowser } from '#support/browsers/killable-browser.ts'
import {
  findMarkers,
  markedEmail,
  markedPhone,
  markedTabs,
  markers,
  markersIn,
  wrongPhone,
} from '#support/data/markers.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { addressOfNewForm } from '#support/browsers/collect-ids.ts'
import { failOnCspViolations } from '#support/browsers/csp-guard.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()
const profiles: string[] = []
const kioskPhone = '677 12 12 12'
const printingPhone = '677 13 13 13'
const crashPhone = '677 14 14 14'
const restoredPhone = '677 33 44 55'

afterAll(() => {
  for (const profile of profiles) rmSync(profile, { recursive: true, force: true })
})

describe('a journey with at least 30 typed strings on a shared device (S95, D31, OFF12)', () => {
  it('leaves none of them in the browser profile after the log-out, and the server keeps the answers', async () => {
    expect(new Set(markers).size).toBeGreaterThanOrEqual(30)
    const profile = makeProfile()
    const { context, page, applicant } = await openBrowser(profile)
    await page.goto('/')
    await applicant.heading('welcome.heading')
    await signIn(applicant, { shared: true })
    await openForm(applicant)
    const address = page.url()
    await typeMarkers(page, applicant)

    const before = await readPageStores(page)
    expect(before.rows).toBeGreaterThan(0)
    expect(before.keys).toBe(0)
    expect(markersIn(before.text)).toEqual([])

    await page.goto(address)
    await applicant.heading('tab.GeneralData')
    await stayLoggedIn(applicant)
    await logOut(applicant, { shared: true })
    const after = await readPageStores(page)
    expect([after.rows, new URL(page.url()).search]).toEqual([0, ''])
    // Only the settings of the device survive (D64) and, if it is there, whether the server marks its answers (D60).
    await expect
      .poll(async () => ({ ...(await readPageStores(page)).settings, 'answer-mark': 'any' }))
      .toEqual({ lg: 'fr', 'device-use': 'shared', 'answer-mark': 'any' })
    await context.close()
    expect(findMarkers(profile)).toEqual([])

    const own = await openBrowser(makeProfile())
    await own.page.goto('/')
    await own.applicant.heading('welcome.heading')
    await signIn(own.applicant, { shared: false })
    await openForm(own.applicant)
    await expectMarkers(own.applicant, { reasonForTravel: 'Dernière réponse' })
    await own.context.close()
  })

  it('finds the marker in the browser profile when a page stores it unencrypted', async () => {
    const profile = makeProfile()
    const { context, page } = await openBrowser(profile)
    await page.goto('/')
    await page.evaluate(marker => localStorage.setItem('leak', marker), markedEmail)
    await context.close()
    expect(findMarkers(profile).join()).toContain(markedEmail)
  })

  it.runIf(isFullRun)('starts signed out when the browser is restarted without a log-out', async () => {
    const profile = makeProfile()
    const first = await openBrowser(profile)
    await first.page.goto('/')
    await signIn(first.applicant, { shared: true })
    await first.page.reload()
    await first.applicant.heading('procedure.heading')
    await first.context.close()

    const next = await openBrowser(profile)
    await next.page.goto('/procedure')
    await next.applicant.heading('welcome.heading')
    expect(await next.context.cookies()).not.toContainEqual(expect.objectContaining({ name: 'refresh' }))
    await next.context.close()
  })
})

describe('a shared device whose browser crashes (D31)', () => {
  it.runIf(isFullRun)('sends a log-out when it starts again, and then has no session', async () => {
    const browser = createKillableBrowser()
    const first = await pageOf(await browser.open())
    await first.page.goto(fixture.portal().origin)
    await first.applicant.heading('welcome.heading')
    await signInOnShared(first.applicant, crashPhone)
    // A second tab beside the living first one does not log it out.
    const beside = await first.page.context().newPage()
    await beside.goto(fixture.portal().origin)
    await createApplicant(beside, fixture.portal(), 'fr').heading('welcome.heading')
    await beside.waitForLoadState('networkidle')
    await first.page.reload()
    await first.applicant.heading('procedure.heading')
    const cookies = await cookiesOf(first.page)
    await browser.kill()

    const next = await pageOf(await browser.open())
    const ended = next.page.waitForResponse(answer => answer.url().endsWith('/refresh-token/logout'))
    await next.page.goto(fixture.portal().origin)
    await next.applicant.heading('welcome.heading')
    expect((await ended).status()).toBe(200)
    expect(await refreshWith(cookies)).toBe(401)
    await browser.close()
  })
})

describe('a shared device whose browser restores its tabs after a crash (D31)', () => {
  it.runIf(isFullRun)('ends the session, and opens the welcome page', async () => {
    const browser = createKillableBrowser()
    const first = await pageOf(await browser.open())
    await signInOnShared(first.applicant, restoredPhone)
    await first.page.reload()
    await first.applicant.startApplication()
    await first.applicant.named('travelDestination').fill('Zorvilande')
    await first.applicant.waitForSavedAnswers()
    const address = first.page.url()
    const tabTexts = await first.page.evaluate(() => Object.entries<string>(sessionStorage))
    const cookies = await cookiesOf(first.page)
    await browser.kill()

    const next = await pageOf(await browser.open())
    await next.page.addInitScript(restoreTabTexts, tabTexts)
    const ended = next.page.waitForResponse(answer => answer.url().endsWith('/refresh-token/logout'))
    await next.page.goto(address)
    await next.applicant.heading('welcome.heading')
    expect((await ended).status()).toBe(200)
    expect(await refreshWith(cookies)).toBe(401)
    await browser.close()
  })
})

/** The cookies of the page's browser, also those that programs of a page cannot read, as a request header. */
async function cookiesOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies()
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

/** Asks for a new token with the cookies that a crashed browser had; resolves to the status of the answer. */
async function refreshWith(cookie: string): Promise<number> {
  expect(cookie).toContain('refresh')
  const { origin } = fixture.portal()
  const answer = await fetch(`${origin}/api/v1/refresh-token`, {
    method: 'POST',
    headers: { cookie, origin },
  })
  return answer.status
}

describe('a kiosk (D38, OFF12)', () => {
  it.runIf(isFullRun)('hands a form over to the applicant’s phone, and erases its own rows', async () => {
    const profile = makeProfile()
    const { context, page, applicant } = await openBrowser(profile)
    await page.goto('/?kiosk=3')
    await applicant.heading('welcome.heading')
    expect(new URL(page.url()).search).toBe('')
    await page.goto('/mobile')
    // The prerendered page has the box until the script has read the device mode.
    await expect.poll(() => page.getByLabel(applicant.t('signIn.shared')).count()).toBe(0)
    expect(await applicant.named('phoneNumber').getAttribute('autocomplete')).toBe('off')
    await applicant.named('phoneNumber').fill(kioskPhone)
    await applicant.button('button.continue').click()
    await enterCode(applicant)
    await applicant.heading('procedure.heading')
    const created = addressOfNewForm(page)
    await applicant.startApplication()
    const pathname = (await created).replace('GeneralData', 'PersonData')
    await page.goto(pathname)
    await applicant.named('surname').fill('Mvondo')
    for (const control of await page
      .locator('main input[type=text], main input[type=tel], main input[type=email]')
      .all())
      expect(await control.getAttribute('autocomplete'), (await control.getAttribute('name')) ?? '').toBe(
        'off',
      )
    await page.getByRole('button', { name: applicant.t('handOver.own') }).click()
    await page.getByRole('img', { name: applicant.t('handOver.code') }).waitFor()
    const reopened = page.waitForEvent('load')
    await page.getByRole('button', { name: applicant.t('handOver.done') }).click()
    await reopened
    await applicant.heading('welcome.heading')
    expect((await readPageStores(page)).rows).toBe(0)

    const phone = await openBrowser(makeProfile())
    await phone.page.goto(`${pathname}?handover=1`)
    await phone.applicant.heading('welcome.heading')
    await phone.page.goto('/mobile')
    await phone.applicant.named('phoneNumber').fill(kioskPhone)
    await phone.applicant.button('button.continue').click()
    await enterCode(phone.applicant)
    await phone.applicant.heading('tab.PersonData')
    await expect.poll(() => phone.applicant.named('surname').inputValue()).toBe('Mvondo')
    await phone.context.close()

    // Clear-Site-Data deletes the kiosk setting too; the address that opens after the wipe sets it again.
    await page.goto('/mobile')
    await applicant.heading('mobile.heading')
    await expect.poll(() => page.getByLabel(applicant.t('signIn.shared')).count()).toBe(0)
    await context.close()
  })

  it.runIf(isFullRun)('completes the journey to a printed receipt at its office, then logs out', async () => {
    const { context, page, applicant } = await openBrowser(makeProfile())
    await page.addInitScript(watchPrinting)
    const downloads: string[] = []
    page.on('download', download => downloads.push(download.suggestedFilename()))
    await page.goto('/?kiosk=3')
    await page.goto('/mobile')
    await applicant.named('phoneNumber').fill(printingPhone)
    await applicant.button('button.continue').click()
    await enterCode(applicant, printingPhone)
    await applicant.heading('procedure.heading')
    await applicant.startApplication()
    await applicant.fillForm({ ...firstPassport, phoneNumber: printingPhone })
    await applicant.confirmData()
    await applicant.payByDemonstration()
    await expect.poll(() => applicant.named('officeId').inputValue()).toBe('3')
    await expect.poll(() => applicant.named('time').inputValue()).not.toBe('')
    await applicant.button('button.confirm').click()
    await applicant.heading('schedule.heading')
    await applicant.button('button.finalize').click()
    await applicant.heading('final.heading')
    await applicant.button('button.print').click()
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, 'printed')))
      .toEqual([{ pages: 1, dark: true }])
    expect(downloads).toEqual([])
    const reopened = page.waitForEvent('load')
    await applicant.button('button.close').click()
    await reopened
    await applicant.heading('welcome.heading')
    await page.goto('/procedure')
    await applicant.heading('welcome.heading')
    await context.close()
  })
})

describe('the same journey on a personal phone (D31, D23)', () => {
  it.runIf(isFullRun)(
    'leaves none of the strings readable in a store of the page after the log-out, and shows an answer after a sign-in',
    async () => {
      const profile = makeProfile()
      const { context, page, applicant } = await openBrowser(profile)
      await page.goto('/')
      await signIn(applicant, { shared: false })
      await openForm(applicant)
      const address = page.url()
      await typeMarkers(page, applicant)
      expect((await readPageStores(page)).keys).toBe(1)

      await page.goto('/procedure')
      await logOut(applicant, { shared: false })
      const stores = await readPageStores(page)
      expect(stores.rows).toBeGreaterThan(0)
      expect(stores.keys).toBe(0)
      expect(markersIn(stores.text)).toEqual([])

      await signIn(applicant, { shared: false })
      await page.goto(address.replace('GeneralData', 'ParentData'))
      await expect.poll(() => applicant.named('motherSurname').inputValue()).toBe('Oumbalakwé')
      await context.close()
    },
  )
})

function makeProfile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'profile-'))
  profiles.push(folder)
  return folder
}

async function pageOf(context: BrowserContext): Promise<{ page: Page; applicant: Applicant }> {
  const page = context.pages()[0] ?? (await context.newPage())
  return { page, applicant: createApplicant(page, fixture.portal(), 'fr') }
}

async function openBrowser(
  profile: string,
): Promise<{ context: BrowserContext; page: Page; applicant: Applicant }> {
  const context = await launchWithProfile(profile, {
    baseURL: fixture.portal().origin,
    viewport: { width: 360, height: 640 },
    locale: 'fr-CM',
  })
  await failOnCspViolations(context)
  const page = context.pages()[0] ?? (await context.newPage())
  return { context, page, applicant: createApplicant(page, fixture.portal(), 'fr') }
}

/** Types an e-mail address, opens the page for a number, types a wrong one there, and signs in with the right one. */
async function signIn(applicant: Applicant, { shared }: { shared: boolean }) {
  const { page, t } = applicant
  await page.goto('/mail')
  await applicant.field('mail.address').fill(markedEmail)
  await page.goto('/mobile')
  await page.getByLabel(t('signIn.shared')).setChecked(shared)
  await applicant.named('phoneNumber').fill(wrongPhone)
  await applicant.named('phoneNumber').fill(markedPhone)
  await applicant.button('button.continue').click()
  await enterCode(applicant, markedPhone)
  await applicant.heading('procedure.heading')
}

async function signInOnShared(applicant: Applicant, phone: string) {
  await applicant.page.goto(`${fixture.portal().origin}/mobile`)
  await applicant.page.getByLabel(applicant.t('signIn.shared')).check()
  await applicant.named('phoneNumber').fill(phone)
  await applicant.button('button.continue').click()
  await enterCode(applicant, phone)
  await applicant.heading('procedure.heading')
}

async function enterCode({ page, t, heading, button }: Applicant, phone = kioskPhone) {
  await heading('password.heading')
  const code = await fixture.portal().codeFor(`237${phone.replaceAll(' ', '')}`)
  await page.getByRole('main').getByLabel(t('password.code')).fill(code)
  await button('button.continue').click()
}

/** Opens each tab by its URL, so that every page is loaded again. */
async function typeMarkers(page: Page, applicant: Applicant) {
  const { t } = applicant
  const address = page.url()
  for (const { tab, typed } of markedTabs) {
    await page.goto(address.replace('GeneralData', tab))
    await applicant.heading(`tab.${tab}`)
    if (tab === 'ParentData')
      await page
        .getByRole('group', { name: t('field.addReprData') })
        .getByLabel(t('answer.YES'))
        .check()
    if (tab === 'NicData')
      await page
        .getByRole('group', { name: t('field.selectNic') })
        .getByLabel(t('nic.2'))
        .check()
    for (const [name, text] of typed) {
      const control = applicant.named(name)
      const isList = (await control.evaluate(element => element.tagName)) === 'SELECT'
      await (isList ? control.selectOption(text) : control.fill(text))
    }
    // The page says that the device or the server has the answers.
    const onServer = page.getByText(t('form.onServer'))
    await page.getByText(t('form.kept')).or(onServer).waitFor()
  }
}

/** Expects all answers of `typeMarkers` in the form. `later`: answers, by field, that the applicant changed later. */
async function expectMarkers({ page, heading, named }: Applicant, later: Record<string, string>) {
  const address = page.url()
  for (const { tab, typed } of markedTabs) {
    await page.goto(address.replace('GeneralData', tab))
    await heading(`tab.${tab}`)
    // Of an answer that was typed twice, the second one.
    for (const [name, text] of new Map<string, string>(typed))
      await expect.poll(() => named(name).inputValue(), { message: name }).toBe(later[name] ?? text)
  }
}

async function openForm({ page, t, heading }: Applicant) {
  const card = page.getByRole('link', { name: t('procedure.open.form') })
  await card.or(page.getByRole('button', { name: t('procedure.new') })).click()
  await heading('tab.GeneralData')
  await page.waitForURL('**/GeneralData')
}

/** Offline, a log-out would lose the last answer: the dialog asks, and the applicant stays. Then the answer is sent. */
async function stayLoggedIn({ page, t, named, button, heading }: Applicant) {
  await page.context().setOffline(true)
  await named('reasonForTravel').fill('Dernière réponse')
  await button('button.cancel').click()
  await heading('procedure.heading')
  await page.getByRole('button', { name: t('button.logOut') }).click()
  await page.getByRole('alertdialog', { name: t('leaving.loseHeading') }).waitFor()
  await page.getByRole('button', { name: t('leaving.stay') }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'hidden' })
  await heading('procedure.heading')
  // Until the answer is on the server, a log-out on a busy machine might ask again.
  const sent = page.waitForResponse(
    answer =>
      answer.request().method() === 'POST' &&
      (answer.request().postData() ?? '').includes('Dernière réponse'),
  )
  await page.context().setOffline(false)
  await sent
  // The banner disappears when the service has answered. Before that, a log-out would ask again.
  await page.getByRole('status').locator('strong').waitFor({ state: 'detached' })
}

/** A shared device reloads the portal after the wipe. */
async function logOut({ page, t, heading }: Applicant, { shared }: { shared: boolean }) {
  await heading('procedure.heading')
  const reopened = shared ? page.waitForEvent('load') : undefined
  await page.getByRole('button', { name: t('button.logOut') }).click()
  await reopened
  await page
    .getByText(t(shared ? 'notice.loggedOutErased' : 'notice.loggedOut'))
    .first()
    .waitFor()
  await heading('welcome.heading')
}

/** Runs in the page before its scripts: a browser that restores a tab restores its tab storage. */
function restoreTabTexts(texts: [string, string][]) {
  if (location.protocol === 'about:' || sessionStorage.length > 0) return
  for (const [key, text] of texts) sessionStorage.setItem(key, text)
}

/** Runs in the page: replaces the printer, and reports the number of pages and whether the first one has content. */
function watchPrinting() {
  const printed: { pages: number; dark: boolean }[] = []
  Object.assign(window, { printed })
  window.print = () => {
    const pictures = [...document.querySelectorAll<HTMLImageElement>('#print > img')]
    const [first] = pictures
    const paper = document.createElement('canvas').getContext('2d')
    if (!first || !paper) return
    paper.canvas.width = first.naturalWidth
    paper.canvas.height = first.naturalHeight
    paper.drawImage(first, 0, 0)
    const { data } = paper.getImageData(0, 0, first.naturalWidth, first.naturalHeight)
    printed.push({
      pages: pictures.length,
      dark: data.filter((value, at) => at % 4 === 0 && value < 60).length > 5_000,
    })
    window.dispatchEvent(new Event('afterprint'))
  }
}
