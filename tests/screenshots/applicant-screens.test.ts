import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import type { Language } from '#contract/codes.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'

// `npm run screenshots` saves pictures of the screens on an applicant's way in screenshots/, which Git ignores. `FULL=1
// PICTURES=folder npx vitest run --project journeys tests/journeys/every-view.test.ts tests/journeys/payment-screens.test.ts`
// saves pictures of every view in every state.
const folder = fileURLToPath(new URL('../../screenshots', import.meta.url))
const sizes = {
  phone: { width: 360, height: 640 },
  tablet: { width: 820, height: 1180 },
  desk: { width: 1280, height: 800 },
} as const
type ScreenshotSettings = { language: Language; size: keyof typeof sizes; colorScheme: 'light' | 'dark' }
const screenshotSettings: ScreenshotSettings[] = [
  { language: 'fr', size: 'phone', colorScheme: 'light' },
  { language: 'en', size: 'phone', colorScheme: 'light' },
  { language: 'fr', size: 'desk', colorScheme: 'light' },
  { language: 'en', size: 'desk', colorScheme: 'light' },
  { language: 'fr', size: 'phone', colorScheme: 'dark' },
  { language: 'fr', size: 'desk', colorScheme: 'dark' },
  { language: 'en', size: 'phone', colorScheme: 'dark' },
  { language: 'en', size: 'desk', colorScheme: 'dark' },
  { language: 'fr', size: 'tablet', colorScheme: 'light' },
  { language: 'en', size: 'tablet', colorScheme: 'light' },
]

const fixture = joinBrowserFixture()

/** `take` saves a picture of the page under this name. */
type Shooting = {
  page: Page
  applicant: Awaited<ReturnType<typeof fixture.openWelcome>>['applicant']
  take: (name: string) => Promise<void>
}

describe('pictures of the screens on an applicant’s way', () => {
  it.each(screenshotSettings)('are taken in $language on a $size, $colorScheme', async settings => {
    const { page, context, applicant } = await fixture.openWelcome(settings.language, {
      ...sizes[settings.size],
      colorScheme: settings.colorScheme,
    })
    const shooting = { page, applicant, take: createCamera(page, settings) }
    const phone = `67${String(1_000_000 + screenshotSettings.indexOf(settings) * 11_111)}`
    await takeSignIn(shooting, phone)
    await takeForm(shooting)
    await takeConfirmation(shooting)
    await takePaymentAndBooking(shooting)
    await page.goto('/help')
    await applicant.heading('help.heading')
    await shooting.take('20-help')
    for (const [index, name] of (['legal', 'accessibility', 'privacy'] as const).entries()) {
      await page.goto(`/${name}`)
      await applicant.heading(`${name}.heading`)
      await shooting.take(`${21 + index}-${name}`)
    }
    for (const [index, name] of (['account', 'undo'] as const).entries()) {
      await page.goto(`/${name}`)
      await applicant.heading(`${name}.heading`)
      await shooting.take(`${24 + index}-${name}`)
    }
    await page.goto('/account')
    await applicant.button('account.deleteButton').click()
    await shooting.take('26-delete-account')
    await page.goto('/nowhere')
    await shooting.take('19-not-found')
    await context.close()
  })
})

async function takeSignIn({ page, applicant, take }: Shooting, phone: string): Promise<void> {
  await take('01-welcome')
  await page.goto('/mail')
  await applicant.heading('mail.heading')
  await applicant.button('button.continue').click()
  await take('02-mail')
  await page.goto('/mobile')
  await applicant.heading('mobile.heading')
  await take('03-mobile')
  await applicant.named('phoneNumber').fill(phone)
  await applicant.button('button.continue').click()
  await applicant.heading('password.heading')
  await take('04-password')
  await page.getByLabel(applicant.t('password.code')).fill(await fixture.portal().codeFor(`237${phone}`))
  await applicant.button('button.continue').click()
  await applicant.heading('procedure.heading')
  await take('05-procedure-empty')
}

async function takeForm({ applicant, take }: Shooting): Promise<void> {
  const form = {
    ...minorWithRepresentative,
    reason: '11212',
    eppNumber: '01234567',
    eppDateOfIssuance: '2016-02-29',
  }
  await applicant.startApplication()
  await take('06-general')
  await applicant.button('button.continue').click()
  await take('07-general-faults')
  await applicant.fillGeneral(form)
  await applicant.continueTo('tab.PersonData')
  await applicant.fillPerson(form)
  await take('08-person')
  await applicant.continueTo('tab.ParentData')
  await applicant.fillParents(form)
  await take('09-parents')
  await applicant.continueTo('tab.NicData')
  await applicant.fillDocuments(form)
  await take('10-documents')
}

async function takeConfirmation({ page, applicant, take }: Shooting): Promise<void> {
  await applicant.button('button.submit').click()
  await applicant.heading('confirm.heading')
  await take('11-confirm')
  await page.goto('/procedure')
  await applicant.heading('procedure.heading')
  await take('12-procedure-new')
  await page.goBack()
  await applicant.heading('confirm.heading')
  await applicant.confirmData()
}

async function takePaymentAndBooking({ page, applicant, take }: Shooting): Promise<void> {
  await take('13-payment')
  await applicant.payByDemonstration({ before: () => take('14-pay-result') })
  await take('15-appointment')
  await applicant.bookPlace({ before: () => take('15-appointment-chosen') })
  await take('16-schedule')
  await applicant.finalize()
  await take('17-final')
  await page.goto('/procedure')
  await applicant.heading('procedure.heading')
  await take('18-procedure-done')
}

function createCamera(
  page: Page,
  { language, size, colorScheme }: ScreenshotSettings,
): (name: string) => Promise<void> {
  const pictures = join(folder, `${size}-${language}-${colorScheme}`)
  mkdirSync(pictures, { recursive: true })
  return async name => {
    // Waits once for each document: a screen that the portal opens without a page load is not waited for.
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' })
  }
}
