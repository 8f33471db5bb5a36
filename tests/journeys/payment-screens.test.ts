import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { cardPagePath, cardReturnPath, type MethodType } from '#contract/payment.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { answerAsServer } from '#support/browsers/answer-as-server.ts'
import type { Applicant } from '#support/browsers/applicant.ts'
import { findAxeFaults } from '#support/checks/axe-faults.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'
import { cardPage, gateway } from '#support/data/hostile-card-pages.ts'
import {
  attempt,
  createPaymentFixture,
  everyMethod,
  fee,
  payment,
} from '#support/fixtures/payment-fixture.ts'
import { createConfirmedApplication, readAttempts } from '#support/browsers/application-by-calls.ts'
import { readTick } from '#support/browsers/read-tick.ts'
import { startBrowserFixture } from '#support/browsers/browser-fixture.ts'

const fixture = startBrowserFixture({
  CAPTCHA: 'off',
  CARD_ORIGINS: gateway,
  PAYMENT_SIMULATORS: 'on',
  PAYMENT_METHODS: 'MOBILE,CARD_UBA', // neither MOCK nor WHITELIST; the simulators enable every other method
})

describe.each(testedLanguages)('the payment screens in %s', language => {
  it('take the first press of Pay, also when the field that it leaves has an issue (PAY07, PAY09)', async () => {
    const payer = await openPayer(language, `67100${70 + languages.indexOf(language)}77`)
    const { context, tile, named, pressPay, heading, page, path, waitForText, t } = payer
    await page.goto(path)
    await heading('payment.heading')
    await tile('AGGREGATOR').check()
    await named('paymentMethod').selectOption('Orange-Money')
    await named('otp').fill('123456789')
    await pressPay()
    await waitForText(t('issue.too-long-8'))
    await waitForText(t('issue.required'))
    await expect.poll(() => named('name').evaluate(field => field === document.activeElement)).toBe(true)
    await context.close()
  })

  it.runIf(isFullRun)(
    'show the usual messages, without an axe issue (PAY01–PAY31, ERR14–ERR18)',
    async () => {
      const payer = await openPayer(language, `67100${40 + languages.indexOf(language)}77`)
      const { context, found } = payer
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], {
        origin: fixture.portal().origin,
      })
      await payWithoutMethod(payer)
      await showMobileMoneyIssues(payer)
      await fillAggregatorForm(payer)
      await enterOperatorCode(payer)
      await showPaymentResults(payer)
      await showDoublePayment(payer)
      expect(faultsOf(found)).toEqual([])
      await context.close()
    },
  )
})

describe.each(isFullRun ? languages : [])('the rare states of the payment screens, in %s', language => {
  it('have no axe issue before the result (PAY01–PAY16, PAY20, ERR14–ERR18)', async () => {
    const payer = await openPayer(language, `67100${50 + languages.indexOf(language)}77`)
    const { context, found } = payer
    await context.route('**/api/v1/version', async route => {
      const { data } = await (await route.fetch()).json()
      await answerAsServer(route, { json: { data: { ...data, cardGateways: [gateway] } } })
    })
    await showMethods(payer)
    await showRefusals(payer)
    await refuseCode(payer)
    await openCardPage(payer)
    expect(faultsOf(found)).toEqual([])
    await context.close()
  })

  it('have no axe issue on the result and on the pages of the server (PAY25–PAY30, S40, F1)', async () => {
    const payer = await openPayer(language, `67100${60 + languages.indexOf(language)}77`)
    const { context, found } = payer
    await showResults(payer)
    await showProcedureCards(payer)
    await payByCard(payer)
    expect(faultsOf(found)).toEqual([])
    await context.close()
  })
})

type Payer = Awaited<ReturnType<typeof openPayer>>

/** The list opens the payment, which offers the enabled and known methods. */
async function payWithoutMethod({
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

async function showMobileMoneyIssues({
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

/** Fills the aggregator's form: Orange Money asks for the code that the payer gets by dialling, Yoomee Money for its PIN. */
async function fillAggregatorForm({
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
async function enterOperatorCode({
  applicant,
  appId,
  paymentFixture,
  checkAxe,
  waitForText,
  t,
  heading,
  button,
  named,
  pressPay,
}: Payer) {
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
  paymentFixture.setResponse(
    '/pay-1/confirm',
    { statusCode: 1, errors: [{ message: 'Le code de M. X est faux' }] },
    400,
  )
  await named('otp').fill('1111')
  await button('button.continue').click()
  await waitForNotice(applicant, 'Le code de M. X est faux')
  paymentFixture.setResponse('/pay-1/confirm', { statusCode: 2, errors: ['Trop tard'] }, 400)
  await named('otp').fill('1111')
  await button('button.continue').click()
  await waitForNotice(applicant, 'Trop tard')
  await heading('payment.heading')
}

/** Shows the result of a payment: in progress, failed. */
async function showPaymentResults({
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

async function showDoublePayment({
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

/** Shows the methods: an error of the server, none, nothing to pay, all. */
async function showMethods({
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
async function showRefusals({
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
async function refuseCode({
  page,
  applicant,
  appId,
  main,
  paymentFixture,
  checkAxe,
  t,
  heading,
  button,
  named,
}: Payer) {
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
  paymentFixture.setResponse(
    '/pay-1/confirm',
    { statusCode: 1, errors: [{ message: 'Le code de M. X est faux' }] },
    400,
  )
  await named('otp').fill('1111')
  await button('button.continue').click()
  await waitForNotice(applicant, 'Le code de M. X est faux')
  await checkAxe('code refused')
  await button('button.back').click()
  await heading('payment.heading')
}

/** The card page answers 204, so that the browser stays on the current page. */
async function openCardPage({
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

async function showResults({
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

async function showProcedureCards({
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
async function payByCard({
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
  // The server shows its page where the portal cannot read the page of the bank.
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
  expect(await readTick(page)).toEqual({ usual: '0.2s', reduced: 'none' })
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

/** Opens the portal for an applicant with a confirmed, unpaid application. The test can replace the server's answers. */
async function openPayer(language: Language, phone: string) {
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

function faultsOf(found: Record<string, string[]>): string[] {
  return Object.entries(found).flatMap(([state, faults]) => faults.map(fault => `${state}: ${fault}`))
}

function amount(language: Language, value = fee.fee): string {
  return new Intl.NumberFormat(language === 'fr' ? 'fr' : 'en-GB', {
    style: 'currency',
    currency: 'XAF',
    maximumFractionDigits: 0,
  }).format(value)
}

async function waitForNotice({ page }: Applicant, words: string) {
  await page.getByText(words).first().waitFor()
}

async function takePicture(page: Page, name: string) {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true })
}
