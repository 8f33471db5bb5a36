import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { type Applicant, createApplicant } from '#support/browsers/applicant.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { findWindowedChromium, launchWithProfile, noWindowReason } from '#support/browsers/chromium.ts'
import { addressOfNewForm, collectIds } from '#support/browsers/collect-ids.ts'
import { failOnCspViolations } from '#support/browsers/csp-guard.ts'
import { readPageStores } from '#support/browsers/page-stores.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { findTexts } from '#support/data/markers.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({
  CAPTCHA: 'off',
  PAYMENT_SIMULATORS: 'on',
  // PAYMENT_METHODS decides only about MOCK and WHITELIST. The simulators enable all other methods.
  PAYMENT_METHODS: 'MOCK',
})
const phone = '677 18 18 18'
const otherPhone = '677 19 19 19'
const slowPhone = '677 20 20 20'
const listPhone = '677 21 21 21'
const cardPhones = { CARD: '677 28 28 28', CARD_UBA: '677 29 29 29' } as const
/** The headless shell saves neither a history nor tabs. */
const windowed = findWindowedChromium()
const profiles: string[] = []

afterAll(() => {
  for (const profile of profiles) rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
})

describe.runIf(isFullRun)('a complete journey on a shared device (D31, S95)', () => {
  it.runIf(isFullRun)(
    'leaves no application number, id or phone number in the profile of the browser, neither in its history nor in its stores',
    async () => {
      const { context, page, applicant, profile } = await openBrowser()
      const ids = collectIds(page)
      const titles = collectTitles(page)
      await page.goto('/?shared=1')
      await signIn(applicant)
      await applicant.startApplication()
      const form = page.url()
      await applicant.fillForm({ ...firstPassport, phoneNumber: phone })
      await applicant.confirmData()
      await applicant.payByDemonstration()
      // A reload opens the same screen.
      await page.reload()
      await applicant.heading('appointment.heading')
      await applicant.bookPlace()
      await page.goBack()
      await page.goForward()
      await applicant.heading('schedule.heading')
      await applicant.button('button.finalize').click()
      await applicant.heading('final.heading')
      const final = page.url()
      await page.goto('/procedure')
      await applicant.heading('procedure.heading')
      await logOut(applicant)
      expect(ids.size).toBeGreaterThanOrEqual(4)
      const found = [...ids]
      expect(found.filter(id => [form, final, ...titles].join(' ').includes(id))).toEqual([])
      const stores = await readPageStores(page)
      expect(found.filter(id => stores.text.includes(id))).toEqual([])
      // The next person who uses this tab cannot open a screen of the applicant who has logged out.
      await page.goto(form)
      await applicant.heading('welcome.heading')
      expect(new URL(page.url()).pathname).toBe('/')
      await context.close()
      if (windowed !== undefined) {
        expect(readdirSync(join(profile, 'Default'))).toEqual(expect.arrayContaining(['History', 'Favicons']))
        expect(findTexts(profile, ['/procedure']).join()).toContain('History')
      } else process.stdout.write(`The history of the browser is not checked: ${noWindowReason}\n`)
      expect(findTexts(profile, [...found, phone.replaceAll(' ', '')])).toEqual([])
    },
  )

  it('replaces the ids in the URL when the applicant opens an address with ids', async () => {
    const { context, page, applicant } = await openBrowser()
    await page.goto('/?shared=1')
    await signIn(applicant, otherPhone)
    const created = addressOfNewForm(page)
    await applicant.startApplication()
    const readable = await created
    await page.goto(readable.replace('GeneralData', 'PersonData'))
    await applicant.heading('tab.PersonData')
    expect(new URL(page.url()).pathname).toMatch(/^\/form\/~[\w-]+\/~[\w-]+\/PersonData$/)
    await context.close()
  })
})

describe.runIf(isFullRun)('the tab that the browser saves, on a shared device (D31)', () => {
  it('has no choice of the applicant in lists and radio buttons', async ({ skip }) => {
    if (windowed === undefined) return skip(noWindowReason)
    const { context, page, applicant, profile } = await openBrowser()
    await page.goto('/?shared=1')
    await signIn(applicant, listPhone)
    await applicant.startApplication()
    await page.goto(page.url().replace('GeneralData', 'PersonData'))
    await applicant.heading('tab.PersonData')
    await applicant.chooseRadio('field.gender', 'gender.11217')
    for (const name of ['placeOfBirth', 'occupation']) await applicant.named(name).selectOption({ index: 3 })
    await applicant.waitForSavedAnswers()
    await page.reload()
    await applicant.heading('tab.PersonData')
    await page.goto('/procedure')
    await applicant.heading('procedure.heading')
    await logOut(applicant)
    await context.close()
    const saved = join(profile, 'Default', 'Sessions')
    expect(findTexts(saved, ['/procedure'])).not.toEqual([])
    expect(findTexts(saved, ['gender', 'placeOfBirth', 'occupation'])).toEqual([])
  })
})

describe.runIf(isFullRun)('a reload on a shared device with slow storage (D31)', () => {
  it('opens the same screen, because a screen is shown only after its address is saved', async () => {
    const { context, page, applicant } = await openBrowser()
    await page.goto('/?shared=1')
    await signIn(applicant, slowPhone)
    await page.evaluate(slowDownAddresses, 2_000)
    await applicant.startApplication()
    await page.reload()
    await applicant.heading('tab.GeneralData')
    await context.close()
  })
})

describe('a card payment on a shared device (D31, S95, PAY20)', () => {
  it.runIf(isFullRun).each<keyof typeof cardPhones>(['CARD', 'CARD_UBA'])(
    'leaves no application number, id or phone number in the profile of the browser: %s',
    async method => {
      const { context, page, applicant, profile } = await openBrowser()
      const ids = collectIds(page)
      await page.goto('/?shared=1')
      await signIn(applicant, cardPhones[method])
      await applicant.startApplication()
      await applicant.fillForm({ ...firstPassport, phoneNumber: cardPhones[method] })
      await applicant.confirmData()
      await page.locator(`main [name="type"][value="${method}"]`).check()
      await applicant.button('button.pay').click()
      await page.waitForURL(/\/\/127\.0\.0\.1:\d+\/\w+\/page/)
      // An applicant who goes back from the card page sees the payment, and no second redirect.
      await page.goBack()
      await applicant.heading('status.IN_PROGRESS')
      await page.goForward()
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.waitForURL(/\/pay\/return/)
      await page.locator('a.button').first().click()
      await applicant.heading('payResult.heading')
      await page.getByRole('main').getByText(applicant.t('status.SUCCESS')).first().waitFor()
      await page.goto('/procedure')
      await applicant.heading('procedure.heading')
      await logOut(applicant)
      await context.close()
      expect(ids.size).toBeGreaterThanOrEqual(3)
      expect(findTexts(profile, [...ids, cardPhones[method].replaceAll(' ', '')])).toEqual([])
    },
  )
})

/** Runs in the page: from now on the storage takes `durationMs` to save an address, and loses it when the page ends before. */
function slowDownAddresses(durationMs: number) {
  const { prototype } = IDBObjectStore
  const put = Object.getOwnPropertyDescriptor(prototype, 'put')?.value as IDBObjectStore['put']
  prototype.put = function (row: { name?: string }, ...key) {
    const end = performance.now() + durationMs
    const readAgain = () => {
      if (performance.now() < end) this.count().addEventListener('success', readAgain)
    }
    if (row.name?.startsWith('addresses ')) {
      // Dexie ends its transaction at once.
      this.transaction.commit = () => undefined
      readAgain()
    }
    return put.call(this, row, ...key)
  }
}

async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'profile-'))
  profiles.push(profile)
  const context = await launchWithProfile(profile, {
    ...(windowed === undefined ? {} : { executablePath: windowed }),
    baseURL: fixture.portal().origin,
    viewport: { width: 360, height: 640 },
    locale: 'fr-CM',
  })
  await failOnCspViolations(context)
  const page = context.pages()[0] ?? (await context.newPage())
  return { profile, context, page, applicant: createApplicant(page, fixture.portal(), 'fr') }
}

function collectTitles(page: Page): Set<string> {
  const titles = new Set<string>()
  page.on('framenavigated', async () => titles.add(await page.title().catch(() => '')))
  return titles
}

async function signIn({ page, named, button, heading, t }: Applicant, contact = phone) {
  await page.goto('/mobile')
  await expect.poll(() => page.getByLabel(t('signIn.shared')).isChecked()).toBe(true)
  await named('phoneNumber').fill(contact)
  await button('button.continue').click()
  await heading('password.heading')
  const code = await fixture.portal().codeFor(`237${contact.replaceAll(' ', '')}`)
  await page.getByRole('main').getByLabel(t('password.code')).fill(code)
  await button('button.continue').click()
  await heading('procedure.heading')
}

async function logOut({ page, t, heading }: Applicant) {
  const reopened = page.waitForEvent('load')
  await page.getByRole('button', { name: t('button.logOut') }).click()
  await reopened
  await heading('welcome.heading')
}
