import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { translateTo } from '#server/i18n/translate.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import {
  openCardAtGateway,
  type ConfirmedApplication,
  createConfirmedApplication,
  readAttempts,
} from '#support/browsers/application-by-calls.ts'
import { isFullRun } from '#support/test-tier.ts'

const fixture = startBrowserFixture({ CAPTCHA: 'off', PAYMENT_SIMULATORS: 'on' })
const serverText = translateTo('fr')

// The last two digits of a number say what its payer does in the simulators: 56 must enter a code of the operator, 53 never
// approves, 50 has too little money (`demo-payers.ts`, `collect-simulator.ts`).

describe('a wallet that asks for a code', () => {
  it('takes the money after the right code, and asks again after an empty or a wrong one (PAY18, PAY22–PAY24, ERR18)', async () => {
    const { page, applicant, prepared, close } = await openPayer('671500001')
    await payByWallet(applicant, '654 000 056')
    await applicant.heading('payOtp.heading')
    await applicant.button('button.continue').click()
    await page.getByText(applicant.t('issue.code-empty')).waitFor()
    await enterCode(applicant, '0000')
    await page.getByText(serverText('problem.payment-code-wrong')).first().waitFor()
    await applicant.heading('payOtp.heading')
    await takePicture(page, 'code-wrong')
    await enterCode(applicant, '471147')
    await applicant.heading('payResult.heading')
    const [attempt] = await readAttempts(page, prepared)
    expect(new URL(page.url()).pathname.split('/').at(-1)).toBe(attempt?.id)
    await expect.poll(() => readAttempts(page, prepared)).toMatchObject([{ state: 'SUCCESS' }])
    await close()
  })

  it.runIf(isFullRun)(
    'returns to the payment after a code that has expired, and the order is over (PAY18, ERR18)',
    async () => {
      const { page, applicant, prepared, close } = await openPayer('671500002')
      await payByWallet(applicant, '654 000 156')
      await applicant.heading('payOtp.heading')
      await enterCode(applicant, '9999')
      await page.getByText(serverText('problem.payment-code-expired')).first().waitFor()
      await applicant.heading('payment.heading')
      await page.getByText(applicant.t('payment.lastFailed')).waitFor()
      await takePicture(page, 'code-expired')
      expect(await readAttempts(page, prepared)).toMatchObject([{ state: 'ERROR' }])
      await close()
    },
  )
})

describe('a payment after an earlier order', () => {
  it.runIf(isFullRun)(
    'says that a card payment is open, asks for nothing on the phone, and says why it cannot be given up yet (ERR17, PAY17, F1, D47)',
    async () => {
      const { page, applicant, prepared, close } = await openPayer('671500003')
      await openCardAtGateway(page, prepared)
      await payByPhone(applicant, prepared, '670 000 253')
      await applicant.heading('status.IN_PROGRESS')
      await page.getByText(applicant.t('payResult.other')).waitFor()
      await page.getByText(applicant.t('attemptNext.waiting-for-card')).waitFor()
      expect(await page.getByText(applicant.t('notice.confirmInApp')).count()).toBe(0)
      await takePicture(page, 'other-open')
      await applicant.button('payResult.continueCard').click()
      await page.getByText(applicant.t('cancelPayment.cardNotNow')).waitFor()
      await applicant.button('cancelPayment.button').click()
      await page
        .locator('button:not([aria-disabled])', { hasText: applicant.t('cancelPayment.button') })
        .waitFor()
      await page.getByText(applicant.t('cancelPayment.cardNotNow')).waitFor()
      await takePicture(page, 'not-now')
      expect(await findAxeFaults(page)).toEqual([])
      expect(await readAttempts(page, prepared)).toMatchObject([{ methodType: 'CARD', state: 'IN_PROGRESS' }])
      await close()
    },
  )

  it.runIf(isFullRun)(
    'starts an order by another method only after the applicant has given up the open one, whose code was not entered (F1, D47)',
    async () => {
      const { page, applicant, prepared, close } = await openPayer('671500004')
      await payByWallet(applicant, '654 000 256')
      await applicant.heading('payOtp.heading')
      await payByPhone(applicant, prepared, '670 000 353')
      await applicant.heading('status.IN_PROGRESS')
      await page.getByText(applicant.t('payResult.other')).waitFor()
      await takePicture(page, 'other-code')
      await page.goto(pathOf(prepared))
      await page.getByText(applicant.t('payment.underWay')).waitFor()
      await applicant.button('cancelPayment.button').waitFor()
      await takePicture(page, 'under-way')
      await applicant.button('cancelPayment.button').click()
      await page.getByText(applicant.t('payment.lastCanceled')).waitFor()
      await takePicture(page, 'given-up')
      expect(await findAxeFaults(page)).toEqual([])
      await payByPhone(applicant, prepared, '670 000 353')
      await applicant.heading('approval.heading')
      await expect
        .poll(() => readAttempts(page, prepared))
        .toMatchObject([
          { methodType: 'MOBILE', state: 'IN_PROGRESS' },
          { methodType: 'AGGREGATOR', state: 'ERROR', next: 'canceled' },
        ])
      await takePicture(page, 'case-file')
      await close()
    },
  )

  it.runIf(isFullRun)('says that the last order of a number was moments ago (ERR16, D42)', async () => {
    const { page, applicant, prepared, close } = await openPayer('671500005')
    await payByPhone(applicant, prepared, '670 000 350')
    await applicant.heading('payResult.heading')
    await expect.poll(() => readAttempts(page, prepared)).toMatchObject([{ state: 'ERROR' }])
    await payByPhone(applicant, prepared, '670 000 350')
    await page.getByText(applicant.t('payment.tooSoonText')).waitFor()
    await takePicture(page, 'too-soon')
    expect(await page.getByText(applicant.t('notice.serviceUnavailable')).count()).toBe(0)
    await close()
  })
})

async function openPayer(contact: string) {
  const { page, context, applicant } = await fixture.openSignedIn('fr', contact)
  const prepared = await createConfirmedApplication(page)
  await page.goto(pathOf(prepared))
  await applicant.heading('payment.heading')
  return { page, applicant, prepared, close: () => context.close() }
}

function pathOf({ appId, appNumber }: ConfirmedApplication): string {
  return `${fixture.portal().origin}/payment/${appId}/${appNumber}`
}

/** Yoomee Money asks for the PIN in the form, and then for the code of the operator. */
async function payByWallet({ page, t, named, button }: Applicant, number: string) {
  await page.getByRole('radio', { name: t('method.AGGREGATOR') }).check()
  await named('paymentMethod').selectOption('Yoomee-Money')
  await named('name').fill('Ngo Biyong')
  await named('phone').fill(number)
  await named('otp').fill('1234')
  await button('button.pay').click()
}

async function payByPhone(
  { page, t, named, button, heading }: Applicant,
  prepared: ConfirmedApplication,
  phone: string,
) {
  await page.goto(pathOf(prepared))
  await heading('payment.heading')
  await page.getByRole('radio', { name: t('method.MOBILE') }).check()
  await named('phone').fill(phone)
  await button('button.pay').click()
}

async function enterCode({ named, button }: Applicant, code: string) {
  await named('otp').fill(code)
  await button('button.continue').click()
}

async function takePicture(page: Page, name: string) {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
