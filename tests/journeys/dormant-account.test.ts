import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { createControls } from '#support/browsers/applicant-controls.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { createKeyboard } from '#support/browsers/keyboard.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { findLayoutFaultsOnPage } from '#support/checks/layout-faults.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'

/** The test makes the last proofs older, which no screen can. */
const database = await openTestDatabase('postgresql')
const fixture = startBrowserFixture({ DATABASE_URL: database.databaseUrl })
afterAll(() => database.close())

const phoneScreen = { width: 360, height: 640 }
/** `SHOTS=folder` saves pictures of the page. */
const folder = process.env['SHOTS']

async function takePicture(page: Page, name: string) {
  if (folder) await page.screenshot({ path: `${folder}/dormant-${name}.png`, fullPage: true })
}

/** Makes it 13 months since each contact was proven. */
async function ageAccounts() {
  await sql`update contact set last_proven_at = now() - interval '13 months'`.execute(database.db)
}

/** Opens an account with one application. Returns the number of the application. */
async function openAccount(phone: string): Promise<string> {
  const { applicant, context } = await fixture.openSignedIn('fr', phone, phoneScreen)
  await applicant.startApplication()
  const number = await applicant.applicationNumber()
  await context.close()
  return number
}

/** Ages all accounts, then signs in on a phone that the applicant has not used before, up to the question. */
async function openQuestion(language: Language, phone: string) {
  await ageAccounts()
  const opened = await fixture.openWelcome(language, phoneScreen)
  const { page, applicant } = opened
  const { t } = applicant
  await page.getByRole('link', { name: t('welcome.phone') }).click()
  await applicant.named('phoneNumber').fill(phone)
  await applicant.button('button.continue').click()
  await applicant.heading('password.heading')
  await applicant.field('password.code').fill(await fixture.portal().codeFor(`237${phone}`))
  await applicant.button('button.continue').click()
  await applicant.heading('dormant.heading')
  return opened
}

async function expectGoodPage(page: Page) {
  expect(await findLayoutFaultsOnPage(page)).toEqual([])
  expect(await findAxeFaults(page)).toEqual([])
}

it('asks before it opens an account that was not used for a year, and takes the choice and a number by keyboard on a small phone (SIG14, SIG15)', async () => {
  const phone = '676200001'
  const number = await openAccount(phone)
  await expect.poll(async () => (await sql`select from application`.execute(database.db)).rows.length).toBe(1)
  // An earlier release stored a form without encryption, and the server still reads it.
  const form = { dayOfBirth: '3', monthOfBirth: '02', yearOfBirth: '1990' }
  await sql`update application set data = ${JSON.stringify(form)}`.execute(database.db)

  const { page, context, applicant } = await openQuestion('fr', phone)
  const { t } = applicant
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('heading')
  expect(await page.getByRole('main').textContent()).not.toContain(number)
  await takePicture(page, 'choices')
  await expectGoodPage(page)
  const keyboard = createKeyboard(page)
  await keyboard.tabTo({ name: 'dormantWay' })
  await page.keyboard.press('Space')
  await applicant.named('applicationNumber').waitFor()
  await page.keyboard.press('ArrowDown')
  await applicant.named('email').waitFor()
  await takePicture(page, 'contact')
  await page.keyboard.press('ArrowUp')
  await keyboard.tabTo({ name: 'applicationNumber' })
  await page.keyboard.press('Enter')
  await page.getByText(t('issue.required')).first().waitFor()
  await page.keyboard.type('PP-2026-000001-1')
  await createControls(page, 'fr').fillDate('dormant.birth', '3', '02', '1990')
  await applicant.button('button.continue').click()
  await page.getByText(/Il vous reste 4\sessais/).waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
    .toBe('applicationNumber')
  await takePicture(page, 'wrong')
  await expectGoodPage(page)
  await applicant.named('applicationNumber').fill(number.toLowerCase())
  await page.keyboard.press('Enter')
  await applicant.heading('procedure.heading')
  await page.getByText(number).first().waitFor()
  await context.close()
})

it.runIf(isFullRun)(
  'warns before the applicant starts again, and then shows an empty account (SIG17)',
  async () => {
    const phone = '676200002'
    await openAccount(phone)
    const { page, context, applicant } = await openQuestion('en', phone)
    const { t } = applicant
    await page.getByLabel(t('dormant.by.start-again')).check()
    await page.getByText(t('dormant.startAgainMeans.phone')).waitFor()
    await takePicture(page, 'start-again')
    await expectGoodPage(page)
    await applicant.button('dormant.startAgainButton').click()
    await applicant.heading('procedure.heading')
    expect(await page.getByText(/PP-\d{4}-/).count()).toBe(0)
    await context.close()
  },
)
