import type { Page } from 'playwright-core'
import type { Language } from '#contract/codes.ts'
import type { MethodType } from '#contract/payment.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { createConfirmedApplication } from '#support/browsers/application-by-calls.ts'
import type { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { createPaymentFixture, fee } from '#support/fixtures/payment-fixture.ts'

type BrowserFixture = Pick<ReturnType<typeof startBrowserFixture>, 'openSignedIn'>

export type Payer = Awaited<ReturnType<typeof openPayer>>

/** Opens the portal for an applicant with a confirmed, unpaid application. The test can replace the server's answers. */
export async function openPayer(fixture: BrowserFixture, language: Language, phone: string) {
  const { page, context, applicant } = await fixture.openSignedIn(language, phone, {
    serviceWorkers: 'block',
  })
  const { appId, appNumber } = await createConfirmedApplication(page)
  const main = page.getByRole('main')
  const paymentFixture = createPaymentFixture(page)
  await paymentFixture.open()
  const found: Record<string, string[]> = {}
  const { t, heading, button, named } = applicant
  return {
    page,
    context,
    language,
    applicant,
    t,
    heading,
    button,
    named,
    appId,
    appNumber,
    path: `/payment/${appId}/${appNumber}`,
    main,
    paymentFixture,
    found,
    checkAxe: async (state: string) => {
      found[state] = await findAxeFaults(page)
      await takePicture(page, `${language}-${Object.keys(found).length}-${state}`)
    },
    waitForText: (words: string) => main.getByText(words).first().waitFor(),
    pressPay: () => applicant.button('button.pay').click(),
    tile: (type: MethodType) => main.locator(`[name="type"][value="${type}"]`),
  }
}

export function faultsOf(found: Record<string, string[]>): string[] {
  return Object.entries(found).flatMap(([state, faults]) => faults.map(fault => `${state}: ${fault}`))
}

export function amount(language: Language, value = fee.fee): string {
  return new Intl.NumberFormat(language === 'fr' ? 'fr' : 'en-GB', {
    style: 'currency',
    currency: 'XAF',
    maximumFractionDigits: 0,
  }).format(value)
}

export async function waitForNotice({ page }: Applicant, words: string) {
  await page.getByText(words).first().waitFor()
}

/** Enters a code on the page of the payment code. The answer says in the operator's words that the code is wrong. */
export async function enterWrongCode({ applicant, paymentFixture, named, button }: Payer) {
  const why = 'Le code de M. X est faux'
  paymentFixture.setResponse('/pay-1/confirm', { statusCode: 1, errors: [{ message: why }] }, 400)
  await named('otp').fill('1111')
  await button('button.continue').click()
  await waitForNotice(applicant, why)
}

async function takePicture(page: Page, name: string) {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true })
}
