import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { cardPagePath, cardReturnPath } from '#contract/payment.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import { cardPage, gateway } from '#support/data/hostile-card-pages.ts'
import { attempt, everyMethod, fee, payment } from '#support/fixtures/payment-fixture.ts'
import { readAttempts } from '#support/browsers/application-by-calls.ts'
import { readTickAnimation } from '#support/browsers/read-tick-animation.ts'
import { amount, enterWrongCode, type Payer, waitForNotice } from './payment-screens-fixture.ts'

/** Shows the payment page: an error of the server, no methods, a payment of the old system alone, all methods. */
export async function showMethods({
  page,
  applicant,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  path,
  t,
  button,
  language,
}: Payer) {
  paymentFixture.setResponse('/payment-methods', {}, 500)
  await page.goto(path)
  await button('button.retry').waitFor()
  await checkAxe('methods unknown')
  paymentFixture.setResponse('/payment-methods', { data: [] })
  await button('button.retry').click()
  await waitForText(t('payment.noMethods'))
  await checkAxe('no methods')
  paymentFixture.setResponse('/payment-methods', { data: [{ type: 'WHITELIST', enable: true, ...fee }] })
  await page.reload()
  await waitForText(t('payment.whitelist'))
  expect(await main.getByRole('radio').count()).toBe(0)
  await checkAxe('whitelist')
  paymentFixture.setResponse('/whitelist-payment-init', { statusCode: 409, message: 'x' }, 409)
  await button('button.continue').click()
  await waitForNotice(applicant, t('notice.serviceUnavailable'))
  const dearer = everyMethod.map(method => ({ ...method, fee: method.type === 'CARD' ? 115_000 : fee.fee }))
  paymentFixture.setResponse('/payment-methods', { data: dearer })
  await page.reload()
  await waitForText(amount(language, 115_000))
  expect(await main.getByRole('radio').count()).toBe(6)
  await checkAxe('every tile')
}

/** Shows refused payments, and a payment that is open already. */
export async function showRefusals({
  applicant,
  appNumber,
  paymentFixture,
  checkAxe,
  waitForText,
  tile,
  t,
  heading,
  named,
  pressPay,
}: Payer) {
  await tile('MOBILE').check()
  await named('phone').fill('671234567')
  paymentFixture.setResponse('/mobile-payment-init', { data: { ...payment, id: null } })
  await pressPay()
  await waitForNotice(applicant, t('notice.orderNotCreated'))
  await checkAxe('order not created')
  const tooSoon = { statusCode: 409, reason: 'payment-too-soon', message: '', data: { seconds: 1 } }
  paymentFixture.setResponse('/mobile-payment-init', tooSoon, 409)
  await pressPay()
  await waitForText(t('payment.tooSoonOver'))
  await checkAxe('no longer too soon')
  await tile('AGGREGATOR').check()
  await named('paymentMethod').selectOption('Orange-Money')
  await named('name').fill('Ngo Biyong')
  await named('phone').fill('699123456')
  await named('otp').fill('123456')
  await checkAxe('aggregator with its code')
  paymentFixture.setResponse('/aggregator-payment-init', { statusCode: 17, message: 'x' }, 400)
  await pressPay()
  await waitForNotice(applicant, t('notice.payerName'))
  await checkAxe('payer refused')
  paymentFixture.setResponse('/aggregator-payment-init', { statusCode: 400, message: 'x' }, 400)
  await pressPay()
  await waitForNotice(applicant, t('notice.serviceUnavailable'))
  await checkAxe('service unavailable')
  const open = { statusCode: 409, reason: 'payment-open', message: '', data: { paymentId: 'pay-1' } }
  paymentFixture.setResponse('/aggregator-payment-init', open, 409)
  paymentFixture.setResponse('/pay-1', {}, 500)
  await pressPay()
  await heading('status.IN_PROGRESS')
  await waitForNotice(applicant, t('notice.payingAlready'))
  await waitForText(appNumber)
  await waitForText(t('payResult.waiting'))
  await checkAxe('result before the first answer')
}

/** Enters a refused code, then presses Back (S53). */
export async function refuseCode(payer: Payer) {
  const { page, appId, main, paymentFixture, checkAxe, t, heading, button } = payer
  paymentFixture.setResponse('/pay-1', { data: { ...payment, needOtp: true } })
  paymentFixture.setResponse(`/applications/${appId}/attempts`, {
    data: [attempt({ next: 'waiting-for-code' })],
  })
  await page.reload()
  const toCode = main.getByRole('link', { name: t('payResult.enterCode') })
  await toCode.waitFor()
  await checkAxe('result waits for a code')
  await toCode.click()
  await heading('payOtp.heading')
  await enterWrongCode(payer)
  await checkAxe('code refused')
  await button('button.back').click()
  await heading('payment.heading')
}

/** The gateway answers 204, so that the browser stays on the current page. */
export async function openCardPage({
  context,
  paymentFixture,
  checkAxe,
  waitForText,
  tile,
  t,
  heading,
  button,
  pressPay,
}: Payer) {
  const sent: string[] = []
  await context.route(`${gateway}/**`, route => {
    sent.push(route.request().postData() ?? '')
    return route.fulfill({ status: 204 })
  })
  paymentFixture.setResponse('/card-payment-init', {
    status: 'Success',
    data: cardPage(),
    paymentId: 'pay-1',
  })
  await tile('CARD').check()
  await pressPay()
  await heading('cardPayment.heading')
  await waitForText(t('cardPayment.automatic'))
  await expect.poll(() => sent).toHaveLength(1)
  await checkAxe('on the way to the card page')
  await button('button.cancel').click()
  await heading('payment.heading')
}

export async function showResults({
  page,
  appId,
  appNumber,
  paymentFixture,
  checkAxe,
  waitForText,
  t,
  button,
}: Payer) {
  const result = `/payResult/${appId}/${appNumber}/pay-1`

  paymentFixture.setResponse('/pay-1', { statusCode: 404, message: 'x' }, 404)
  await page.goto(result)
  await waitForText(t('payResult.unknown'))
  await checkAxe('result unknown')
  paymentFixture.setResponse('/pay-1', { data: { ...payment, paymentStatus: 'ERROR' } })
  const nextAt = '2026-06-15T09:10:00Z'
  paymentFixture.setResponse(`/applications/${appId}/attempts`, {
    data: [
      attempt({ state: 'ERROR', next: 'ask-help', nextAt }),
      attempt({
        id: 'pay-2',
        orderNumber: 'PO-2026-000002',
        next: 'asking-operator',
        operatorReference: '',
      }),
      attempt({
        id: 'pay-3',
        orderNumber: 'PO-2026-000003',
        method: '',
        methodType: 'CARD',
        next: 'waiting-for-card',
      }),
      attempt({ id: 'pay-4', orderNumber: 'PO-2026-000004', state: 'REFUNDED', next: 'refunded' }),
    ],
  })
  paymentFixture.setResponse(`/applications/${appId}/proof`, { statusCode: 409, message: 'x' }, 409)
  await page.reload()
  for (const step of ['ask-help', 'asking-operator', 'waiting-for-card', 'refunded'] as const)
    await waitForText(t(`attemptNext.${step}`))
  await button('case.download').click()
  await waitForText(t('case.downloadFailed'))
  await checkAxe('result of many attempts')
}

export async function showProcedureCards({
  page,
  appId,
  main,
  paymentFixture,
  checkAxe,
  waitForText,
  t,
  language,
}: Payer) {
  await page.goto('/procedure')
  await main.getByRole('link', { name: t('payment.followIt') }).waitFor()
  await checkAxe('procedure card: payment under way')
  paymentFixture.setResponse(`/applications/${appId}/attempts`, {
    data: [
      attempt({ state: 'REFUND_DUE', next: 'refund-due' }),
      attempt({ id: 'pay-2', state: 'SUCCESS', next: 'paid' }),
    ],
  })
  await page.reload()
  await main.getByText(t('case.double')).first().click()
  await waitForText(t('attemptNext.refund-due'))
  await checkAxe('procedure card: refund')
  await page.goto(`${cardPagePath}/never-given`)
  await page.getByText(translateTo(language)('payPage.cardGone')).waitFor()
  await checkAxe('card page that is gone')
}

/**
 * A complete card payment: the page of the server, of the bank, the return page, and the next step. The server's page
 * opens the bank's page by itself, 1 s after its script has arrived (PAY20).
 */
export async function payByCard({
  page,
  appId,
  appNumber,
  paymentFixture,
  checkAxe,
  waitForText,
  tile,
  path,
  t,
  button,
  language,
  heading,
}: Payer) {
  paymentFixture.clearResponses()
  await page.goto(path)
  await tile('CARD_UBA').check()
  // Without the form of the bank in `data`, the portal opens the server's own card page.
  await page.route('**/uba-payment-init*', async route => {
    const answer = await (await route.fetch()).json()
    await answerAsServer(route, { json: { ...answer, data: '' } })
  })
  const scriptRequested = new Promise<Route>(resolve => void page.route('**/pay/card.js', resolve))
  await button('button.pay').click()
  await page.waitForURL(`**${cardPagePath}/**`, { waitUntil: 'commit' })
  const script = await scriptRequested
  await page.getByRole('button', { name: translateTo(language)('payPage.cardButton') }).waitFor()
  await checkAxe('the server’s own card page')
  await script.continue()
  await page.waitForURL(/\/\/127\.0\.0\.1:\d+\/\w+\/page/)
  const returnScript = new Promise<Route>(resolve => void page.route('**/pay/return.js', resolve))
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL(`**${cardReturnPath}/**`, { waitUntil: 'commit' })
  const next = await returnScript
  await page.getByRole('link', { name: translateTo(language)('payPage.returnLink') }).waitFor()
  await checkAxe('the return page')
  // The script opens the result by itself.
  await next.continue()
  await heading('payResult.heading')
  await waitForText(t('status.SUCCESS'))
  expect(await readTickAnimation(page)).toEqual({ usual: '0.2s', reduced: 'none' })
  await waitForText(t('payResult.oneStepLeft'))
  await waitForText(t('attemptNext.paid'))
  await checkAxe('result paid')
  const proof = page.waitForEvent('download')
  await button('case.download').click()
  expect((await proof).suggestedFilename()).toBe(`${appNumber}-${t('case.fileName')}.pdf`)
  await page.goto('/procedure')
  await waitForText(t('procedure.oneStepLeft'))
  await checkAxe('card of what is left to do')
  expect(await readAttempts(page, { appId, appNumber })).toMatchObject([{ state: 'SUCCESS' }])
}
