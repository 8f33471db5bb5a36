import { expect } from 'vitest'
import { attempt, payment } from '#support/fixtures/payment-fixture.ts'
import { amount, enterWrongCode, type Payer, waitForNotice } from './payment-screens-fixture.ts'

/** Opens the payment from the list. Expects the enabled and known methods, and an issue after Pay without a method. */
export async function payWithoutMethod({
  page,
  main,
  checkAxe,
  waitForText,
  t,
  heading,
  pressPay,
  language,
}: Payer) {
  await page.goto('/procedure')
  await heading('procedure.heading')
  await main.getByRole('link', { name: t('procedure.open.payment') }).click()
  await heading('payment.heading')
  await waitForText(t('payment.product'))
  await waitForText(amount(language))
  expect(await main.getByRole('radio').count()).toBe(5)
  await checkAxe('tiles')
  await pressPay()
  await waitForText(t('issue.method-needed'))
  await checkAxe('no method')
}

export async function showMobileMoneyIssues({
  applicant,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  tile,
  t,
  named,
  pressPay,
}: Payer) {
  await tile('MOBILE').check()
  await named('phone').fill('6712345')
  await pressPay()
  await waitForText(t('issue.not-valid'))
  await checkAxe('mobile money')
  await named('phone').fill('671 234 567')
  paymentFixture.setResponse('/mobile-payment-init', { data: { ...payment, id: null } })
  await pressPay()
  await waitForNotice(applicant, t('notice.orderNotCreated'))
  expect(paymentFixture.requests.at(-1)?.query).toContain('phone=237671234567')
  const tooSoon = { statusCode: 409, reason: 'payment-too-soon', message: '', data: { seconds: 42 } }
  paymentFixture.setResponse('/mobile-payment-init', tooSoon, 409)
  await pressPay()
  await waitForText(t('payment.tooSoon'))
  expect(await main.getByText(/\b4[0-2]\ss\./).count()).toBe(1)
  await checkAxe('too soon')
}

/** Fills the aggregator's form. Orange Money asks for a code that the payer dials for, Yoomee Money for a PIN. */
export async function fillAggregatorForm({
  applicant,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  tile,
  t,
  named,
  pressPay,
  button,
  page,
}: Payer) {
  await tile('AGGREGATOR').check()
  await pressPay()
  await waitForText(t('issue.required'))
  await named('paymentMethod').selectOption('Orange-Money')
  await waitForText('#150*4*4#')
  expect(await main.getByRole('link', { name: '#150*4*4#' }).getAttribute('href')).toBe('tel:%23150*4*4%23')
  await button('payment.copyCode').click()
  await waitForNotice(applicant, t('notice.copied'))
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('#150*4*4#')
  await named('name').fill(` ${'é'.repeat(51)} `)
  await named('phone').fill('12345')
  await named('otp').fill('123456789')
  await pressPay()
  for (const code of ['too-long-50', 'phone-home', 'too-long-8'] as const)
    await waitForText(t(`issue.${code}`))
  await checkAxe('aggregator with faults')
  await named('dialCode').selectOption('33')
  await named('phone').fill('1234') // six digits with the dial code
  await named('phone').blur()
  await waitForText(t('issue.phone-international'))
  await named('dialCode').selectOption('237')
  await named('name').fill(' Ngo  Biyong ')
  await named('phone').fill('699123456')
  await named('paymentMethod').selectOption('Express-Union')
  expect(await named('otp').count()).toBe(0)
  await named('paymentMethod').selectOption('Yoomee-Money')
  expect(await named('otp').getAttribute('type')).toBe('password')
  await named('otp').fill('1234')
  await checkAxe('aggregator')
  paymentFixture.setResponse('/aggregator-payment-init', { statusCode: 17, message: 'x' }, 400)
  await pressPay()
  await waitForNotice(applicant, t('notice.payerName'))
  paymentFixture.setResponse('/aggregator-payment-init', { statusCode: 400, message: 'x' }, 400)
  await pressPay()
  await waitForNotice(applicant, t('notice.serviceUnavailable'))
}

/** The operator asks for a code. */
export async function enterOperatorCode(payer: Payer) {
  const { applicant, appId, paymentFixture, checkAxe, waitForText, t, heading, button, named, pressPay } =
    payer
  paymentFixture.setResponse('/aggregator-payment-init', { data: { ...payment, needOtp: true } })
  await pressPay()
  await heading('payOtp.heading')
  expect(
    paymentFixture.requests.findLast(({ path: each }) => each === '/aggregator-payment-init')?.body,
  ).toBe(
    JSON.stringify({
      phone: '237699123456',
      paymentMethod: 'Yoomee-Money',
      name: 'Ngo Biyong',
      otp: '1234',
      id: appId,
    }),
  )
  await button('button.continue').click()
  await waitForText(t('issue.code-empty'))
  expect(await named('otp').getAttribute('type')).toBe('password')
  await checkAxe('code')
  await enterWrongCode(payer)
  paymentFixture.setResponse('/pay-1/confirm', { statusCode: 2, errors: ['Trop tard'] }, 400)
  await named('otp').fill('1111')
  await button('button.continue').click()
  await waitForNotice(applicant, 'Trop tard')
  await heading('payment.heading')
}

/** Shows the result of a payment: in progress, failed. */
export async function showPaymentResults({
  page,
  appId,
  appNumber,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  path,
  t,
  button,
  tile,
  named,
  pressPay,
  heading,
  applicant,
}: Payer) {
  paymentFixture.setResponse('/pay-1', { data: payment })
  paymentFixture.setResponse(`/applications/${appId}/attempts`, { data: [attempt({})] })
  await tile('MOBILE').check()
  await named('phone').fill('671234567')
  paymentFixture.setResponse('/mobile-payment-init', { data: payment })
  await pressPay()
  await heading('approval.heading')
  await waitForNotice(applicant, t('notice.confirmInApp'))
  expect(new URL(page.url()).pathname).toBe(`/payResult/${appId}/${appNumber}/pay-1`)
  await waitForText(payment.orderId)
  await waitForText(t('attemptNext.waiting-for-approval'))
  expect(await button('button.continueToAppointment').count()).toBe(0)
  await checkAxe('result pending')
  await page.goto(path)
  await waitForText(t('payment.underWay'))
  await checkAxe('under way')
  await main.getByRole('link', { name: t('payment.followIt') }).click()
  await heading('approval.heading')
  paymentFixture.setResponse('/pay-1', { data: { ...payment, paymentStatus: 'ERROR' } })
  paymentFixture.setResponse(`/applications/${appId}/attempts`, {
    data: [attempt({ state: 'ERROR', next: 'nothing-taken' })],
  })
  await page.reload()
  await waitForText(t('status.ERROR'))
  await button('button.returnToPayment').waitFor()
  expect(await button('button.continueToAppointment').count()).toBe(0)
  await checkAxe('result failed')
}

export async function showDoublePayment({
  page,
  appId,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  t,
  button,
}: Payer) {
  const twice = [
    attempt({ id: 'pay-2', orderNumber: 'PO-2026-000002', state: 'REFUND_DUE', next: 'refund-due' }),
    attempt({ state: 'SUCCESS', next: 'paid' }),
  ]
  paymentFixture.setResponse(`/applications/${appId}/attempts`, { data: twice })
  await page.reload()
  await waitForText(t('payResult.paidBy', { order: 'PO-2026-000001' }))
  await waitForText(t('case.double'))
  await waitForText(t('payResult.oneStepLeft'))
  await button('button.continueToAppointment').waitFor()
  expect(await button('button.returnToPayment').count()).toBe(0)
  await main.getByText(t('case.history')).first().click()
  await checkAxe('result paid twice')
  await page.goto('/procedure')
  await main.getByText(t('case.heading')).first().click()
  await waitForText(t('attemptNext.paid'))
  await checkAxe('procedure card')
}
