import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import { methodTypes, type PaymentAttempt } from '#contract/payment.ts'
import type { Applicant } from '#support/applicant.ts'
import { firstPassport } from '#support/applicants.ts'
import { axeFaults } from '#support/axe-faults.ts'
import { prepareApplication } from '#support/prepared-application.ts'
import { walkedLanguages } from '#support/full.ts'
import { walkThePortal } from '#support/walk.ts'

const walk = walkThePortal({ CAPTCHA: 'off' })
const fee = { fee: 110_000, currency: 'XAF' }
const payment = {
  id: 'pay-1',
  orderId: 'PO-2026-000001',
  paymentStatus: 'IN_PROGRESS',
  amount: 110_000,
  currency: 'XAF',
  needOtp: false,
  phoneNumber: '237671234567',
}

/** What the service answers to the calls of payment, in place of the real one; the newest word counts. */
function createDesk(page: Page) {
  const answers = new Map<string, { status?: number; json: object }>()
  const asked: { path: string; query: string; body: string | null }[] = []
  const give = (path: string, json: object, status = 200) => answers.set(path, { status, json })

  async function answer(route: Route) {
    const { pathname, search } = new URL(route.request().url())
    const path = pathname.replace('/api/v1/payments', '')
    const given = answers.get(path)
    asked.push({ path, query: search, body: route.request().postData() })
    if (given) await route.fulfill(given)
    else await route.continue()
  }

  const types = methodTypes.filter(type => type !== 'WHITELIST')
  const operators = ['Orange-Money', 'Yoomee-Money', { name: 'Express-Union' }]
  give('/payment-methods', {
    data: [
      ...types.map(type => ({
        type,
        enable: type !== 'BACM',
        ...fee,
        methods: type === 'AGGREGATOR' ? operators : null,
      })),
      { type: 'SEASHELLS', enable: true, ...fee },
    ],
  })
  return {
    give,
    asked,
    open: () =>
      page.route('**/api/v1/payments**', answer).then(() => page.route('**/api/v1/payments/**', answer)),
  }
}

describe.each(walkedLanguages)('the screens of payment in %s', language => {
  it('say every message, and give axe nothing to say (PAY01–PAY31, ERR14–ERR18)', async () => {
    const { page, context, applicant } = await walk.meet(language, { serviceWorkers: 'block' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: walk.portal().origin })
    await applicant.signInByPhone(`67100${40 + languages.indexOf(language)}77`)
    const { appId, appNumber } = await prepareApplication(page, { ...firstPassport, phoneNumber: '' })
    const { t, heading, button, named } = applicant
    const main = page.getByRole('main')
    const desk = createDesk(page)
    await desk.open()
    const found: Record<string, string[]> = {}
    const look = async (state: string) => {
      Object.assign(found, { [state]: await axeFaults(page) })
      await takePicture(page, `${language}-${Object.keys(found).length}-${state}`)
    }
    const says = (words: string) => main.getByText(words).first().waitFor()
    const pay = () => button('button.pay').click()
    const tile = (type: (typeof methodTypes)[number]) =>
      main.getByRole('radio', { name: t(`method.${type}`), exact: false })
    const path = `/payment/${appId}/${appNumber}`

    // The list leads to the payment, and the payment offers what is enabled and known.
    await page.goto('/procedure')
    await heading('procedure.heading')
    await main.getByRole('link', { name: t('procedure.open.payment') }).click()
    await heading('payment.heading')
    await says(t('payment.product'))
    await says(amount(language))
    expect(await main.getByRole('radio').count()).toBe(5)
    await look('tiles')
    await pay()
    await says(t('issue.method-needed'))
    await look('no method')

    // Mobile money.
    await tile('MOBILE').check()
    await named('phone').fill('6712345')
    await pay()
    await says(t('issue.not-valid'))
    await look('mobile money')
    await named('phone').fill('671 234 567')
    desk.give('/mobile-payment-init', { data: { ...payment, id: null } })
    await pay()
    await notice(applicant, t('notice.orderNotCreated'))
    expect(desk.asked.at(-1)?.query).toContain('phone=237671234567')
    const tooSoon = { statusCode: 409, reason: 'payment-too-soon', message: '', data: { seconds: 42 } }
    desk.give('/mobile-payment-init', tooSoon, 409)
    await pay()
    await says(t('payment.tooSoon'))
    expect(await main.getByText(/\b4[0-2] s\./).count()).toBe(1)
    await look('too soon')

    // The aggregator: its form, its code to dial for, its PIN.
    await tile('AGGREGATOR').check()
    await pay()
    await says(t('issue.required'))
    await named('paymentMethod').selectOption('Orange-Money')
    await says('#150*4*4#')
    expect(await main.getByRole('link', { name: '#150*4*4#' }).getAttribute('href')).toBe('tel:%23150*4*4%23')
    await button('payment.copyCode').click()
    await notice(applicant, t('notice.copied'))
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('#150*4*4#')
    await named('name').fill(` ${'é'.repeat(51)} `)
    await named('phone').fill('12345')
    await named('otp').fill('123456789')
    await pay()
    for (const code of ['too-long-50', 'phone-home', 'too-long-8'] as const) await says(t(`issue.${code}`))
    await look('aggregator with faults')
    await named('dialCode').selectOption('33')
    await named('phone').fill('1234') // with the code of the country these are six
    await named('phone').blur()
    await says(t('issue.phone-international'))
    await named('dialCode').selectOption('237')
    await named('name').fill(' Ngo  Biyong ')
    await named('phone').fill('699123456')
    await named('paymentMethod').selectOption('Express-Union')
    expect(await named('otp').count()).toBe(0)
    await named('paymentMethod').selectOption('Yoomee-Money')
    expect(await named('otp').getAttribute('type')).toBe('password')
    await named('otp').fill('1234')
    await look('aggregator')
    desk.give('/aggregator-payment-init', { statusCode: 17, message: 'x' }, 400)
    await pay()
    await notice(applicant, t('notice.payerName'))
    desk.give('/aggregator-payment-init', { statusCode: 400, message: 'x' }, 400)
    await pay()
    await notice(applicant, t('notice.serviceUnavailable'))

    // A code of the operator's.
    desk.give('/aggregator-payment-init', { data: { ...payment, needOtp: true } })
    await pay()
    await heading('payOtp.heading')
    expect(desk.asked.findLast(({ path: each }) => each === '/aggregator-payment-init')?.body).toBe(
      JSON.stringify({
        phone: '237699123456',
        paymentMethod: 'Yoomee-Money',
        name: 'Ngo Biyong',
        otp: '1234',
        id: appId,
      }),
    )
    await button('button.continue').click()
    await says(t('issue.code-empty'))
    expect(await named('otp').getAttribute('type')).toBe('password')
    await look('code')
    desk.give('/pay-1/confirm', { statusCode: 1, errors: [{ message: 'Le code de M. X est faux' }] }, 400)
    await named('otp').fill('1111')
    await button('button.continue').click()
    await notice(applicant, 'Le code de M. X est faux')
    desk.give('/pay-1/confirm', { statusCode: 2, errors: ['Trop tard'] }, 400)
    await named('otp').fill('1111')
    await button('button.continue').click()
    await notice(applicant, 'Trop tard')
    await heading('payment.heading')

    // The result: on the way, failed after all, paid twice.
    desk.give('/pay-1', { data: payment })
    desk.give(`/applications/${appId}/attempts`, { data: [attempt({})] })
    await tile('MOBILE').check()
    await named('phone').fill('671234567')
    desk.give('/mobile-payment-init', { data: payment })
    await pay()
    await heading('payResult.heading')
    await notice(applicant, t('notice.confirmInApp'))
    expect(new URL(page.url()).pathname).toBe(`/payResult/${appId}/${appNumber}/pay-1`)
    await says(payment.orderId)
    await says(t('attemptNext.waiting-for-approval'))
    expect(await button('button.continueToAppointment').count()).toBe(0)
    await look('result pending')
    await page.goto(path)
    await says(t('payment.underWay'))
    await look('under way')
    await main.getByRole('link', { name: t('payment.followIt') }).click()
    await heading('payResult.heading')
    desk.give('/pay-1', { data: { ...payment, paymentStatus: 'ERROR' } })
    desk.give(`/applications/${appId}/attempts`, {
      data: [attempt({ state: 'ERROR', next: 'nothing-taken' })],
    })
    await page.reload()
    await says(t('status.ERROR'))
    await button('button.returnToPayment').waitFor()
    expect(await button('button.continueToAppointment').count()).toBe(0)
    await look('result failed')
    const twice = [
      attempt({ id: 'pay-2', orderNumber: 'PO-2026-000002', state: 'REFUND_DUE', next: 'refund-due' }),
      attempt({ state: 'SUCCESS', next: 'paid' }),
    ]
    desk.give(`/applications/${appId}/attempts`, { data: twice })
    await page.reload()
    await says(t('payResult.paidBy', { order: 'PO-2026-000001' }))
    await says(t('case.double'))
    await says(t('payResult.oneStepLeft'))
    await button('button.continueToAppointment').waitFor()
    expect(await button('button.returnToPayment').count()).toBe(0)
    await main.getByText(t('case.history')).first().click()
    await look('result paid twice')
    await page.goto('/procedure')
    await main.getByText(t('case.heading')).first().click()
    await says(t('attemptNext.paid'))
    await look('procedure card')

    expect(found).toEqual(Object.fromEntries(Object.keys(found).map(state => [state, []])))
    await context.close()
  })
})

function attempt(rest: Partial<Record<keyof PaymentAttempt, string | null>>) {
  const state = rest.state ?? 'IN_PROGRESS'
  return {
    id: 'pay-1',
    orderNumber: 'PO-2026-000001',
    methodType: 'MOBILE',
    method: 'Orange Money',
    createdAt: '2026-06-15T09:05:00Z',
    updatedAt: '2026-06-15T09:06:00Z',
    amount: 110_000,
    currency: 'XAF',
    operatorReference: 'MP260615.1005.A12345',
    state,
    history: [
      { state: 'IN_PROGRESS', at: '2026-06-15T09:05:00Z' },
      ...(state === 'IN_PROGRESS' ? [] : [{ state, at: '2026-06-15T09:06:00Z' }]),
    ],
    next: 'waiting-for-approval',
    nextAt: state === 'IN_PROGRESS' ? '2026-06-15T09:10:00Z' : null,
    ...rest,
  }
}

function amount(language: Language): string {
  return new Intl.NumberFormat(language === 'fr' ? 'fr' : 'en-GB', {
    style: 'currency',
    currency: 'XAF',
    maximumFractionDigits: 0,
  }).format(fee.fee)
}

async function notice({ page }: Applicant, words: string) {
  await page.getByText(words).first().waitFor()
}

async function takePicture(page: Page, name: string) {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true })
}
