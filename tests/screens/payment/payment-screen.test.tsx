// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toApplicationId, toApplicationNumber, toPaymentId } from '#contract/id-text.ts'
import fr from '#i18n/fr.json'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'
import {
  answerWith,
  openAttempt,
  openPayment,
  waitSeconds,
  emitVisibilityChange,
} from '#support/data/payment-answers.ts'

let portal: Portal | undefined
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await portal?.close()
})

const attempts = '/payments/applications/app-1/attempts'

describe('payment screen', () => {
  it('polls an open payment every 15 s, not while the page is hidden, at once when it is visible again, and shows its failure (PAY27)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment, [attempts]: [openAttempt] }
    const { see, requests, main } = await openScreen(answers)
    const checks = () => requests.filter(({ url }) => url.includes('/payments/pay-1?')).length
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    await see(() => expect(checks()).toBe(1))
    await waitSeconds(14)
    expect(checks()).toBe(1)
    await waitSeconds(1)
    await see(() => expect(checks()).toBe(2))

    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    emitVisibilityChange()
    const before = requests.length
    await waitSeconds(300)
    expect(requests).toHaveLength(before)
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    visibility.mockReturnValue('visible')
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    expect(main().textContent).not.toContain(fr['payment.underWay'])
    await waitSeconds(300)
    expect(checks()).toBe(3)
  })

  it('no longer says that a payment is open which a server that was restored since does not know (PAY27, D62)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment, [attempts]: [openAttempt] }
    const { see, requests, main } = await openScreen(answers)
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    await see(() => expect(requests.some(({ url }) => url.includes('/payments/pay-1?'))).toBe(true))
    // The device saves the list, by which it knows the payment that the server loses.
    await settle()
    delete answers['/payments/pay-1']
    answers[attempts] = []
    await waitSeconds(15)
    await see(() => expect(main().textContent).toContain(fr['lost.payment']))
    expect(main().textContent).not.toContain(fr['payment.underWay'])
  })

  it('opens the result when the open payment succeeds (S40)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment, [attempts]: [openAttempt] }
    const { see, main, router } = await openScreen(answers)
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    await waitSeconds(15)
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
  })

  it('shows that the last payment failed, and does not poll ended payments', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const failed = { ...openAttempt, state: 'ERROR', next: 'nothing-taken' }
    const { see, requests, main } = await openScreen({ [attempts]: [failed] })
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    const last = requests.length
    await waitSeconds(300)
    expect(requests).toHaveLength(last)
    expect(requests.some(({ url }) => url.includes('/payments/pay-1?'))).toBe(false)
  })
})

const dataLink = (main: HTMLElement) =>
  [...main.querySelectorAll('a')].find(({ textContent }) => textContent === fr['payment.checkData'])

describe('the way back to the data', () => {
  it('leads to the review, because the data can be changed until the payment (CNF07, S56)', async () => {
    const { see, main } = await openScreen({ [attempts]: [] })
    await see(() => expect(dataLink(main())?.getAttribute('href')).toBe('/confirm/app-1/PP-1'))
  })

  it('is not offered while a payment is open', async () => {
    const { see, main } = await openScreen({ '/payments/pay-1': openPayment, [attempts]: [openAttempt] })
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    expect(dataLink(main())).toBeUndefined()
  })
})

describe('the warning about an open payment', () => {
  it('has the only main button of the page, because an applicant who pays again may pay twice (F1, D134)', async () => {
    const { see, main } = await openScreen({ '/payments/pay-1': openPayment, [attempts]: [openAttempt] })
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    const buttons = [...main().querySelectorAll('[class*="primary"]')]
    expect(buttons.map(({ textContent }) => textContent)).toEqual([fr['payment.followIt']])
  })

  it('leaves the main button to Pay when a poll finds that the payment failed; the failure is announced once (PAY27, D134)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment, [attempts]: [openAttempt] }
    const { see, main } = await openScreen(answers)
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers[attempts] = [{ ...openAttempt, state: 'ERROR', next: 'nothing-taken' }]
    const panels = new Set<Element>()
    const watch = new MutationObserver(() => {
      for (const panel of main().querySelectorAll('[role="status"]'))
        if (panel.textContent.includes(fr['payment.lastFailed'])) panels.add(panel)
    })
    watch.observe(main(), { childList: true, subtree: true })
    await waitSeconds(15)
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    await see(() =>
      expect([...main().querySelectorAll('[class*="primary"]')].map(each => each.textContent)).toEqual([
        fr['button.pay'],
      ]),
    )
    watch.disconnect()
    expect(panels.size).toBe(1)
  })

  it.each([
    [
      'is too busy',
      { status: 503, headers: { 'retry-after': '1' }, json: { statusCode: 503, reason: 'busy' } },
    ],
    ['gives no answer', 'no connection' as const],
  ])(
    'comes later when the service %s at first: without it an applicant may pay twice (F1, D92)',
    async (_fault, fault) => {
      let isFaulty = true
      portal = await openPortal({
        path: '/payment/app-1/PP-1',
        state: 'DATA_SAVED',
        answer: request => {
          if (request.url.endsWith(attempts) && isFaulty) {
            isFaulty = false
            return fault
          }
          return answerWith({ ...ordinary, '/payments/pay-1': openPayment, [attempts]: [openAttempt] })(
            request,
          )
        },
      })
      await portal.heading(fr['payment.heading'])
      const { see, main } = portal
      await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    },
  )
})

describe('the form of the payment screen', () => {
  const joiner = '\u2060'

  it('names the wallets with their ranges, which no line end divides, and fills in the number of the sign-in inside the chosen tile (PAY03, PAY08)', async () => {
    const { see, main, named, choose } = await openScreen({}, undefined, { msisdn: '237671234567' })
    await see(() =>
      expect(main().textContent).toContain(`MTN MoMo\u00A0: 67, 650–${joiner}654, 680–${joiner}683`),
    )
    expect(main().textContent).toContain(`Orange Money\u00A0: 69, 640, 655–${joiner}659, 686–${joiner}689`)
    expect(main().querySelector('[name="phone"]')).toBeNull()
    choose('type', 'MOBILE')
    await see(() => expect(named('phone').value.replace(/\D/g, '')).toBe('671234567'))
    expect(main().querySelector('fieldset#type')?.contains(named('phone'))).toBe(true)
    choose('type', 'MOCK')
    await see(() => expect(main().querySelector('[name="phone"]')).toBeNull())
  })

  it('offers the same method again after Try again (PAY30)', async () => {
    const failed = { ...openAttempt, state: 'ERROR', next: 'nothing-taken', failure: 'expired' }
    const { see, router, main, named } = await openScreen({ [attempts]: [failed] })
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    await router.navigate({ to: '/procedure' })
    await router.navigate({
      to: '/payment/$appId/$appNumber',
      params: { appId: toApplicationId('app-1'), appNumber: toApplicationNumber('PP-1') },
      state: { payAgain: 'same' },
    })
    await see(() => expect(named('phone')).toBeTruthy())
    expect(main().querySelector<HTMLInputElement>('[value="MOBILE"]')?.checked).toBe(true)
  })

  it('offers the method and the number of a payment that was refused since this page was last open (PAY30)', async () => {
    const started = { ...openPayment, phoneNumber: '237677123456' }
    const answers: Record<string, unknown> = { '/payments/mobile-payment-init': started }
    const { see, router, main, named, button, choose, type } = await openScreen(answers)
    await see(() => choose('type', 'MOBILE'))
    await see(() => type('phone', '677123456'))
    const refused = { state: 'ERROR', next: 'nothing-taken', failure: 'refused-on-phone' }
    answers['/payments/pay-1'] = { ...started, paymentStatus: 'ERROR' }
    answers[attempts] = [{ ...openAttempt, ...refused }]
    button(fr['button.pay']).click()
    await see(() => button(fr['button.retry']).click())
    await see(() => expect(router.state.location.pathname).toBe('/payment/app-1/PP-1'))
    await see(() => expect(main().querySelector<HTMLInputElement>('[value="MOBILE"]')?.checked).toBe(true))
    expect(named('phone').value.replace(/\D/g, '')).toBe('677123456')
  })
})

describe('Pay', () => {
  it('sends one request when it is pressed ten times before the screen renders again (D42)', async () => {
    const { see, router, requests, button, choose, type } = await openScreen({
      '/payments/mobile-payment-init': openPayment,
      '/payments/pay-1': openPayment,
    })
    await see(() => choose('type', 'MOBILE'))
    await see(() => type('phone', '677123456'))
    for (let press = 0; press < 10; press += 1) button(fr['button.pay']).click()
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    expect(requests.filter(({ url }) => url.includes('/payments/mobile-payment-init'))).toHaveLength(1)
  })
})

describe('Pay by phone', () => {
  it('opens a result that says at once what to pay and how, before its first answer (S61, PAY25)', async () => {
    const started = { ...openPayment, methodType: 'MOBILE', phoneNumber: '237677123456' }
    const result = holdAnswer()
    portal = await openPortal({
      path: '/payment/app-1/PP-1',
      state: 'DATA_SAVED',
      answer(request) {
        const answer = answerWith({ '/payments/mobile-payment-init': started }, ordinary)(request)
        return request.url.includes('/payments/pay-1') ? result.hold({ json: { data: started } }) : answer
      },
    })
    const { see, main, button, choose, type } = portal
    await see(() => choose('type', 'MOBILE'))
    await see(() => type('phone', '677123456'))
    button(fr['button.pay']).click()
    await portal.heading(fr['approval.heading'])
    expect(main().textContent).toContain('PO-1')
    expect(main().textContent).toContain(fr['approval.open'].replace('{operator}', 'MTN MoMo'))
    result.release()
  })
})

/**
 * Opens the payment screen, chooses MOBILE and types a number. The server answers Pay with status 500, so the portal
 * does not know whether there is an order. `loseList`: from then on the answers about the attempts are lost.
 */
async function openWithLostPay() {
  const answers: Record<string, unknown> = { [attempts]: [openAttempt], '/payments/pay-1': openPayment }
  let isListLost = false
  const opened = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    answer(request) {
      if (request.url.includes('/payments/mobile-payment-init'))
        return { status: 500, json: { statusCode: 500 } }
      if (isListLost && request.url.endsWith(attempts)) return 'no connection'
      return answerWith(answers, ordinary)(request)
    },
  })
  portal = opened
  const { see, requests, button, choose, type } = opened
  const keys = () =>
    requests
      .filter(({ url }) => url.includes('/payments/mobile-payment-init'))
      .map(({ headers }) => headers.get('idempotency-key'))
  const payUntil = async (count: number) => {
    await see(() => button(fr['button.pay']).click())
    await see(() => expect(keys()).toHaveLength(count))
  }
  await see(() => choose('type', 'MOBILE'))
  await see(() => type('phone', '677123456'))
  return { ...opened, answers, keys, payUntil, loseList: () => (isListLost = true) }
}

describe('Pay, when its answer was lost', () => {
  it('sends a new order after the order of the lost answer has failed, and the same one before that (D13, PAY30)', async () => {
    const { see, main, answers, keys, payUntil } = await openWithLostPay()
    await payUntil(1)
    await payUntil(2)
    expect(keys()[1]).toBe(keys()[0])
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers[attempts] = [{ ...openAttempt, state: 'ERROR', next: 'nothing-taken', nextAt: null }]
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    await payUntil(3)
    expect(keys()[2]).not.toBe(keys()[0])
  })

  it('sends a new order also when only the poll of the payment has said that the order has failed (D13, PAY30)', async () => {
    const { see, main, answers, keys, payUntil, loseList } = await openWithLostPay()
    await payUntil(1)
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    loseList()
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    await payUntil(2)
    expect(keys()[1]).not.toBe(keys()[0])
  })

  it('repeats the request although a payment of another application has failed since (D13)', async () => {
    const { answers, keys, payUntil, services } = await openWithLostPay()
    await payUntil(1)
    answers['/payments/pay-9'] = { ...openPayment, id: 'pay-9', paymentStatus: 'ERROR' }
    const { queries, queryClient } = await services.openQueries()
    await queryClient.fetchQuery(queries.payment(toApplicationId('app-9'), toPaymentId('pay-9')))
    await payUntil(2)
    expect(keys()[1]).toBe(keys()[0])
  })
})

describe('Pay, when the answer comes late', () => {
  const earlier = { ...openPayment, isExisting: true, methodType: 'CARD' }

  it('keeps the notice `confirmInApp` on the page of the payment (D51)', async () => {
    const { see, device, router, answerOrder } = await pressPay()
    answerOrder()
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    await device.advance(4_000)
    await see(() => expect(document.body.textContent).toContain(fr['notice.confirmInApp']))
  })

  it('shows the notice `confirmInApp` on another page only for its usual time, because that page does not learn how the payment ends (D51, D137)', async () => {
    const { see, device, heading, services, answerOrder } = await pressPay()
    await services.navigation.go('/procedure')
    await heading(fr['procedure.heading'])
    answerOrder()
    await see(() => expect(document.body.textContent).toContain(fr['notice.confirmInApp']))
    await device.advance(3_000)
    await see(() => expect(document.body.textContent).not.toContain(fr['notice.confirmInApp']))
  })

  it('says on another page, for the usual time of a notice, that a payment is under way, and does not open the earlier payment (D51, D137)', async () => {
    const { see, device, heading, notices, services, answerOrder } = await pressPay(earlier)
    await services.navigation.go('/procedure')
    await heading(fr['procedure.heading'])
    answerOrder()
    await see(() => expect(notices.state().shown?.message).toEqual({ key: 'payment.underWay' }))
    await device.advance(3_000)
    await see(() => expect(notices.state()).toEqual({ shown: undefined, last: undefined }))
    expect(location.pathname).toBe('/procedure')
  })

  it('shows the earlier payment when the applicant has come back (D137)', async () => {
    const { see, heading, notices, router, services, answerOrder } = await pressPay(earlier)
    await services.navigation.go('/procedure')
    await heading(fr['procedure.heading'])
    await services.navigation.go('/payment/app-1/PP-1')
    await heading(fr['payment.heading'])
    answerOrder()
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    expect(notices.state().last?.message).toEqual({ key: 'notice.payingAlready' })
  })
})

describe('a refused Pay', () => {
  it('stays beside the button until the applicant changes the number (ERR14, D51)', async () => {
    const { see, device, main, button, choose, type } = await openScreen({
      '/payments/mobile-payment-init': { id: '', paymentStatus: 'ERROR', amount: 110_000, currency: 'XAF' },
    })
    const form = () => main().querySelector('form')?.textContent ?? ''
    await see(() => choose('type', 'MOBILE'))
    await see(() => type('phone', '677123456'))
    button(fr['button.pay']).click()
    await see(() => expect(form()).toContain(fr['notice.orderNotCreated']))
    expect(form()).toContain(fr['payment.refusedNext'])
    await device.advance(20_000)
    expect(form()).toContain(fr['notice.orderNotCreated'])
    type('phone', '677123457')
    await see(() => expect(form()).not.toContain(fr['notice.orderNotCreated']))
  })

  it.each([
    ['payment-attempts', 'notice.paymentAttempts'],
    ['payment-number-attempts', 'notice.paymentNumberAttempts'],
  ] as const)('adds no advice to pay again to the text about a limit of a day (%s)', async (reason, text) => {
    const { see, main } = await payRefused({ reason })
    const form = () => main().querySelector('form')?.textContent ?? ''
    await see(() => expect(form()).toContain(fr[text]))
    expect(form()).not.toContain(fr['payment.refusedNext'])
    expect(form()).not.toContain(fr['payment.unavailableNext'])
  })

  it('says, after the pause that an operator wants, only that the applicant can pay with this number again', async () => {
    const opened = await payRefused({ reason: 'payment-too-soon', data: { seconds: 42 } })
    const { see, main } = opened
    await see(() => expect(main().textContent).toContain(fr['payment.tooSoonText']))
    await opened.seeAsTimePasses(() => expect(main().textContent).toContain(fr['payment.tooSoonOver']))
    expect(main().textContent).not.toContain(fr['payment.tooSoonText'])
    const announced = [...main().querySelectorAll('[role="status"]')].map(({ textContent }) => textContent)
    expect(announced).toContain(fr['payment.tooSoonOver'])
  })
})

describe('the open payment on the payment screen', () => {
  const open = { '/payments/pay-1': openPayment, [attempts]: [openAttempt] }
  const canceled = { ...openAttempt, state: 'ERROR', next: 'canceled', nextAt: null }

  it('can be given up, and the screen then says what happens to money that is taken later (F1, D47)', async () => {
    const answers: Record<string, unknown> = { ...open, '/version': withCancel }
    const { see, main, button, requests } = await openScreen(answers)
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    await see(() => expect(main().textContent).toContain(fr['cancelPayment.button']))
    answers['/payments/pay-1/cancel'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers[attempts] = [canceled]
    button(fr['cancelPayment.button']).click()
    await see(() => expect(main().textContent).toContain(fr['payment.lastCanceled']))
    const [, nextSteps = '?'] = fr['payment.lastCanceledText'].split('{time}')
    expect(main().textContent).toContain(nextSteps)
    expect(main().textContent).not.toContain(fr['payment.lastFailed'])
    const call = requests.find(({ url }) => url.endsWith('/payments/pay-1/cancel'))
    expect(call?.method).toBe('POST')
    expect(call?.headers.get('idempotency-key')).toBeTruthy()
  })

  it('gives the focus to the heading when it is given up, because the pressed button is gone (D47)', async () => {
    const answers: Record<string, unknown> = { ...open, '/version': withCancel }
    const { see, main, button } = await openScreen(answers)
    await see(() => button(fr['cancelPayment.button']).focus())
    answers['/payments/pay-1/cancel'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    answers[attempts] = [canceled]
    button(fr['cancelPayment.button']).click()
    await see(() => expect(main().textContent).toContain(fr['payment.lastCanceled']))
    expect(document.activeElement?.id).toBe('heading')
  })

  it('shows why it cannot be given up yet, when to try again, and when it will be closed without an answer (F1, D47)', async () => {
    const refusal = {
      why: 'in-progress',
      tryAgainAt: '2026-06-15T09:05:00Z',
      until: '2026-06-16T09:00:00Z',
    }
    const { see, main, button } = await openScreen({ ...open, '/version': withCancel }, refusal)
    await see(() => expect(main().textContent).toContain(fr['cancelPayment.button']))
    button(fr['cancelPayment.button']).click()
    await see(() => expect(main().textContent).toContain(fr['cancelPayment.inProgress']))
    expect(main().textContent).toMatch(/à partir de 10:05.*16\u00a0juin 2026 à 10:00/)
  })

  it('has no button to give it up on a server that cannot cancel a payment (D5)', async () => {
    const { see, main } = await openScreen({ ...open, '/version': { version: '1', features: ['caseFile'] } })
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    expect(main().textContent).not.toContain(fr['cancelPayment.button'])
  })
})

const withCancel = { version: '1', features: ['caseFile', 'cancelPayment'] }

const ordinary: Record<string, unknown> = {
  '/payments': [],
  '/payments/payment-methods': [
    { type: 'MOBILE', enable: true, fee: 110_000, currency: 'XAF' },
    { type: 'MOCK', enable: true, fee: 110_000, currency: 'XAF' },
  ],
}

/** Presses Pay. `payment`: what `answerOrder` will answer; it may be an order that was open before. */
async function pressPay(payment: object = openPayment) {
  const answers = { '/payments/mobile-payment-init': payment, '/payments/pay-1': openPayment }
  const order = holdAnswer()
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    answer(request) {
      const answer = answerWith(answers, ordinary)(request)
      const isOrder = request.url.includes('/payments/mobile-payment-init')
      return isOrder && answer ? order.hold(answer) : answer
    },
  })
  const { see, choose, type, button } = portal
  await see(() => choose('type', 'MOBILE'))
  await see(() => type('phone', '677123456'))
  button(fr['button.pay']).click()
  await see(() => expect(order.isHeld()).toBe(true))
  return { ...portal, answerOrder: order.release }
}

/** Presses Pay, and the server refuses the order with this problem. */
async function payRefused(problem: object) {
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    answer: request =>
      request.url.includes('/payments/mobile-payment-init')
        ? { status: 409, json: { statusCode: 409, message: 'x', ...problem } }
        : answerWith(ordinary)(request),
  })
  const { see, choose, type, button } = portal
  await see(() => choose('type', 'MOBILE'))
  await see(() => type('phone', '677123456'))
  button(fr['button.pay']).click()
  return portal
}

/** `cancelRefusal`: the data with which the server refuses to cancel. */
async function openScreen(
  answers: Record<string, unknown>,
  cancelRefusal?: object,
  claims?: Record<string, unknown>,
) {
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    ...(claims && { claims }),
    answer: request =>
      cancelRefusal && request.url.includes('/cancel')
        ? { status: 409, json: { statusCode: 409, message: 'x', data: cancelRefusal } }
        : answerWith(answers, ordinary)(request),
  })
  await portal.heading(fr['payment.heading'])
  return portal
}
