// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { toPaymentId } from '#contract/id-text.ts'
import fr from '#i18n/fr.json'
import { operatorOf } from '#screens/payment/operators.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import {
  answerWith,
  openAttempt,
  openPayment,
  waitSeconds,
  emitVisibilityChange,
} from '#support/data/payment-answers.ts'
import { settle } from '#support/settle.ts'

let portal: Portal | undefined
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await portal?.close()
})

describe('payment result screen', () => {
  it.each([403, 429])(
    'opens the welcome page when the poll is refused with %i (ERR12, D89)',
    async status => {
      portal = await openPortal({
        path: '/payResult/app-1/PP-1/pay-1',
        state: 'DATA_SAVED',
        answer: ({ url }) =>
          url.includes('/payments/pay-1?') ? { status, json: { statusCode: status } } : undefined,
      })
      await portal.heading(fr['status.IN_PROGRESS'])
      await portal.device.advance(300)
      await portal.heading(fr['welcome.heading'])
    },
  )

  it('removes the notice to confirm in the app, once the payment has ended (D51)', async () => {
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment }
    const { see, device, main, notices } = await openResult(answers)
    notices.raise('success', { key: 'notice.confirmInApp' })
    await device.advance(4_000)
    await see(() => expect(main().textContent).toContain(fr['notice.confirmInApp']))
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain(fr['status.SUCCESS']))
    await see(() => expect(main().textContent).not.toContain(fr['notice.confirmInApp']))
  })

  it('removes the notice to wait for the bank, once its answer is there (D51)', async () => {
    const answers: Record<string, unknown> = { '/payments/pay-1': openPayment }
    const { see, device, main, notices } = await openResult(answers)
    notices.raise('info', { key: 'attemptNext.asking-operator' })
    await device.advance(4_000)
    await see(() => expect(main().textContent).toContain(fr['attemptNext.asking-operator']))
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain(fr['status.SUCCESS']))
    await see(() => expect(main().textContent).not.toContain(fr['attemptNext.asking-operator']))
  })

  it('removes the notice to confirm in the app when the portal opens another page itself (D51, D89)', async () => {
    portal = await openPortal({
      path: '/payResult/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      answer: ({ url }) =>
        url.includes('/payments/pay-1?') ? { status: 403, json: { statusCode: 403 } } : undefined,
    })
    const { heading, notices, device, see } = portal
    await heading(fr['status.IN_PROGRESS'])
    notices.raise('success', { key: 'notice.confirmInApp' })
    await device.advance(3_000)
    await heading(fr['welcome.heading'])
    await see(() => expect(document.body.textContent).not.toContain(fr['notice.confirmInApp']))
  })

  it('offers no download of the proof on a kiosk, where the file would stay for the next applicant (D38)', async () => {
    const { see, device, main, router } = await openResult({
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [openAttempt],
    })
    await see(() => expect(main().textContent).toContain(fr['case.download']))
    device.saveText(deviceUseStorageKey, 'kiosk:3')
    await router.navigate({ to: '/procedure' })
    await router.navigate({ href: '/payResult/app-1/PP-1/pay-1' })
    await see(() => expect(main().textContent).toContain(fr['account.dataShared']))
    expect(main().textContent).not.toContain(fr['case.download'])
  })

  it('removes the notice to confirm one payment in the app on the page of the next one (D51)', async () => {
    const answers = { '/payments/pay-1': openPayment, '/payments/pay-2': { ...openPayment, id: 'pay-2' } }
    const { see, device, main, notices, heading, router } = await openResult(answers)
    notices.raise('success', { key: 'notice.confirmInApp' })
    await device.advance(4_000)
    await see(() => expect(main().textContent).toContain(fr['notice.confirmInApp']))
    await router.navigate({ to: '.', params: { paymentId: toPaymentId('pay-2') } })
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-2'))
    await heading(fr['status.IN_PROGRESS'])
    await see(() => expect(main().textContent).not.toContain(fr['notice.confirmInApp']))
  })

  it('sends the first poll 300 ms after opening (PAY26)', async () => {
    const { see, device, requests, main } = await openResult({ '/payments/pay-1': openPayment })
    const checks = () => requests.filter(({ url }) => url.includes('/payments/pay-1?')).length
    await see(() => expect(main().textContent).toContain('PP-1'))
    await device.advance(299)
    expect(checks()).toBe(0)
    await device.advance(1)
    await see(() => expect(main().textContent).toContain('PO-1'))
    expect(checks()).toBe(1)
  })

  it('polls every 15 s, not while the page is hidden, at once when it is visible again, and stops when the payment has ended (PAY27)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = {
      '/payments/pay-1': { ...openPayment, orderId: 'PO-first' },
      '/payments/applications/app-1/attempts': [{ ...openAttempt, operatorReference: 'MP-first' }],
    }
    const { see, device, requests, main } = await openResult(answers)
    const checks = () => requests.filter(({ url }) => url.includes('/payments/pay-1?')).length
    await device.advance(300)
    // Both responses are on the page: a polling interval begins with the response.
    await see(() => expect(main().textContent).toContain('MP-first'))
    await see(() => expect(main().textContent).toContain('PO-first'))
    await waitSeconds(14)
    expect(checks()).toBe(1)
    answers['/payments/pay-1'] = { ...openPayment, orderId: 'PO-second' }
    await waitSeconds(1)
    await see(() => expect(main().textContent).toContain('PO-second'))
    expect(checks()).toBe(2)

    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    emitVisibilityChange()
    const before = requests.length
    await waitSeconds(300)
    expect(requests).toHaveLength(before)
    answers['/payments/pay-1'] = { ...openPayment, orderId: 'PO-third' }
    answers['/payments/applications/app-1/attempts'] = [{ ...openAttempt, operatorReference: 'MP-third' }]
    visibility.mockReturnValue('visible')
    emitVisibilityChange()
    await see(() => expect(main().textContent).toContain('PO-third'))
    await see(() => expect(main().textContent).toContain('MP-third'))
    expect(checks()).toBe(3)

    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    answers['/payments/applications/app-1/attempts'] = [
      { ...openAttempt, state: 'SUCCESS', next: 'paid', nextAt: null },
    ]
    await waitSeconds(15)
    await see(() => expect(main().textContent).toContain(fr['attemptNext.paid']))
    const last = requests.length
    await waitSeconds(300)
    emitVisibilityChange()
    await waitSeconds(1)
    expect(checks()).toBe(4)
    expect(requests.slice(last).filter(({ url }) => !url.includes('/attempts'))).toEqual([])
  })

  it('names the wallet of an attempt as people write it, not by its code in the API (F1)', async () => {
    const { see, device, main } = await openResult({
      '/payments/pay-1': { ...openPayment, methodType: 'AGGREGATOR' },
      '/payments/applications/app-1/attempts': [{ ...openAttempt, method: 'Yoomee-Money' }],
    })
    await device.advance(300)
    await see(() => expect(main().textContent).toContain(`${fr['case.method']}Yoomee Money`))
    expect(main().textContent).not.toContain('Yoomee-Money')
  })

  it('says first what to do on the phone: the number, the steps of its operator, and then the facts (PAY25)', async () => {
    const { see, device, main, heading, button } = await openResult({
      '/payments/pay-1': { ...openPayment, methodType: 'MOBILE', phoneNumber: '237671234567' },
      '/payments/applications/app-1/attempts': [{ ...openAttempt, method: 'MTN MoMo' }],
    })
    await device.advance(300)
    await heading(fr['approval.heading'])
    const words = () => main().textContent ?? ''
    await see(() => expect(words()).toContain('+237\u00A06\u00A0•••\u00A067'))
    expect(words()).not.toContain('71 23 45')
    expect(main().querySelector('a[href="tel:*126%23"]')?.textContent).toBe('*126#')
    const order = ['*126#', fr['payResult.waiting'], 'PP-1', 'PO-1'].map(each => words().indexOf(each))
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(order).not.toContain(-1)
    expect(button(fr['button.returnToPayment'])).toBeTruthy()
  })

  it.each([
    ['Orange-Money', '237691234567', '#150*50#'],
    // The number was moved to the other operator.
    ['MTN-Money', '237691234567', '*126#'],
    ['Express-Union', '237691234567', undefined],
    ['', '237691234567', '#150*50#'],
    ['', '33612345678', undefined],
  ])('names the code to dial only of a known operator: wallet %j, number %s', (method, phone, dial) => {
    expect(operatorOf({ method, phone })?.dial).toBe(dial)
  })

  it('sends the second poll 300 ms after the first answer, with `wait`, when the server can hold it, and shows its answer when it comes (D68)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = {
      '/payments/pay-1': { ...openPayment, mayWait: true },
      '/payments/applications/app-1/attempts': [openAttempt],
      '/version': { version: '1', features: ['caseFile', 'paymentWait'] },
    }
    const { see, device, requests, main, heading } = await openResult(answers)
    const checks = () => requests.filter(({ url }) => url.includes('/payments/pay-1?')).map(({ url }) => url)
    await device.advance(300)
    await heading(fr['approval.heading'])
    await see(() => expect(checks()).toHaveLength(1))
    expect(checks()[0]).not.toContain('wait')
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    await waitSeconds(0.3)
    await see(() => expect(main().textContent).toContain(fr['status.SUCCESS']))
    expect(checks()).toHaveLength(2)
    expect(checks()[1]).toContain('wait=true')
  })

  it.each([
    ['does not announce it', ['caseFile'], { mayWait: true }],
    ['cannot hold the poll now', ['caseFile', 'paymentWait'], {}],
  ])('sends no `wait` to a server that %s (D5, D68)', async (_, features, more) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = {
      '/payments/pay-1': { ...openPayment, ...more },
      '/payments/applications/app-1/attempts': [openAttempt],
      '/version': { version: '1', features },
    }
    const { see, device, requests, main, heading } = await openResult(answers)
    await device.advance(300)
    await heading(fr['approval.heading'])
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'SUCCESS' }
    await waitSeconds(15)
    await see(() => expect(main().textContent).toContain(fr['status.SUCCESS']))
    expect(requests.some(({ url }) => url.includes('wait='))).toBe(false)
  })

  it('ends with Return to payment on a status that the specification does not name (PAY27, PAY30, D67)', async () => {
    const { see, device, main } = await openResult({
      '/payments/pay-1': { ...openPayment, paymentStatus: 'REJECTED' },
    })
    await device.advance(300)
    await see(() => expect(main().textContent).toContain(fr['status.ERROR']))
    expect(main().textContent).toContain('PO-1')
    expect(main().textContent).toContain(fr['button.returnToPayment'])
    expect(main().textContent).not.toContain(fr['payResult.waiting'])
  })

  it.each([
    ['not-enough-money', 'payFailure.money', 'button.retry'],
    ['refused-on-phone', 'payFailure.refused', 'button.retry'],
    ['expired', 'payFailure.expired', 'button.retry'],
    ['limit-reached', 'payFailure.limit', 'payFailure.otherMethod'],
    ['no-answer', 'payFailure.silent', undefined],
    ['a-reason-of-a-newer-server', 'payFailure.unknown', undefined],
  ] as const)(
    'shows the status of a failed payment, and says once why, and what next: %s (PAY28, PAY30)',
    async (failure, why, act) => {
      const { see, device, main, button, router } = await openResult({
        '/payments/pay-1': { ...openPayment, paymentStatus: 'ERROR', failure },
        '/payments/applications/app-1/attempts': [
          { ...openAttempt, state: 'ERROR', next: 'nothing-taken', nextAt: null, failure },
        ],
        '/payments': [],
        '/payments/payment-methods': [{ type: 'MOBILE', enable: true, fee: 110_000, currency: 'XAF' }],
      })
      await device.advance(300)
      await see(() => expect(main().textContent).toContain(fr[why]))
      await see(() => expect(main().querySelector('ol')?.textContent).toContain(fr['status.ERROR']))
      expect(main().textContent.split(fr[why])).toHaveLength(2)
      expect(main().textContent).toContain(fr['status.ERROR'])
      expect(button(fr['button.returnToPayment'])).toBeTruthy()
      for (const other of ['button.retry', 'payFailure.otherMethod'] as const)
        if (other !== act) expect(() => button(fr[other])).toThrow()
      button(fr[act ?? 'button.returnToPayment']).click()
      await see(() => expect(router.state.location.pathname).toBe('/payment/app-1/PP-1'))
      await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
      expect(main().textContent).toContain(fr[why])
    },
  )

  it('offers the booking and no second payment when another attempt has paid (F1, F2)', async () => {
    const { see, device, main, button } = await openResult(
      {
        '/payments/pay-1': { ...openPayment, paymentStatus: 'ERROR' },
        '/payments/applications/app-1/attempts': [
          { ...openAttempt, state: 'ERROR', next: 'nothing-taken', nextAt: null },
          { ...openAttempt, id: 'pay-0', orderNumber: 'PO-0', state: 'SUCCESS', next: 'paid', nextAt: null },
        ],
      },
      fr['payResult.heading'],
    )
    await device.advance(300)
    await see(() => expect(button(fr['button.continueToAppointment'])).toBeTruthy())
    expect(main().textContent).toContain(fr['payResult.paidBy'].replace('{order}', 'PO-0'))
    expect(main().textContent).toContain(fr['payResult.oneStepLeft'])
    expect(() => button(fr['button.returnToPayment'])).toThrow()
    expect(main().textContent).toContain(fr['case.nothingTakenThen'])
    expect(main().textContent).not.toContain(fr['attemptNext.nothing-taken'])
  })

  it('does not ask to pay again beside a failed attempt while another one is open (F1)', async () => {
    const { see, main } = await openResult({
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [
        openAttempt,
        {
          ...openAttempt,
          id: 'pay-0',
          orderNumber: 'PO-0',
          state: 'ERROR',
          next: 'nothing-taken',
          nextAt: null,
        },
      ],
    })
    await see(() => expect(main().textContent).toContain(fr['case.nothingTakenYet']))
    expect(main().textContent).not.toContain(fr['attemptNext.nothing-taken'])
  })

  it('opens the open payment of the application when the server does not know the id in the address', async () => {
    const { see, device, router } = await openResult({
      '/payments/applications/app-1/attempts': [{ ...openAttempt, id: 'pay-7' }],
    })
    await device.advance(300)
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-7'))
  })

  it('stays on the page of an unknown payment that an earlier list of this device still has (PAY27, D62)', async () => {
    // The server was restored from a backup and does not know the payment. The list stands for an earlier one of this device.
    const { see, device, main, router } = await openResult({
      '/payments/applications/app-1/attempts': [openAttempt],
    })
    await see(() => expect(main().textContent).toContain(fr['case.heading']))
    const navigated = vi.fn()
    router.subscribe('onBeforeNavigate', navigated)
    await device.advance(300)
    await see(() => expect(main().textContent).toContain(fr['payResult.unknown']))
    await settle()
    expect(navigated).not.toHaveBeenCalled()
    expect(main().textContent).toContain(fr['case.heading'])
  })

  it('says, also to a screen reader, that an open payment is unknown to a server that was restored since (PAY27, D62)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = {
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [openAttempt],
    }
    const { see, device, main, button } = await openResult(answers)
    await device.advance(300)
    await see(() => expect(main().textContent).toContain('PO-1'))
    await see(() => expect(main().textContent).toContain(fr['case.heading']))
    delete answers['/payments/pay-1']
    answers['/payments/applications/app-1/attempts'] = []
    await waitSeconds(15)
    const said = () => [...main().querySelectorAll('[role="status"]')].map(each => each.textContent)
    await see(() => expect(said()).toContain(fr['payResult.unknown']))
    expect(main().textContent).not.toContain(fr['payResult.waiting'])
    expect(button(fr['button.returnToPayment'])).toBeTruthy()
  })

  it('does not show the failure of an earlier order for a payment that a server restored since does not know (PAY27, D62)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const failed = { id: 'pay-0', orderNumber: 'PO-0', state: 'ERROR', next: 'nothing-taken', nextAt: null }
    const earlier = { ...openAttempt, ...failed }
    const answers: Record<string, unknown> = {
      '/payments/pay-0': { ...openPayment, id: 'pay-0', orderId: 'PO-0', paymentStatus: 'ERROR' },
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [openAttempt, earlier],
    }
    const { see, device, main, router } = await openResult(answers)
    await device.advance(300)
    await see(() => expect(main().textContent).toContain('MP1'))
    await see(() => expect(main().textContent).toContain('PO-1'))
    delete answers['/payments/pay-1']
    answers['/payments/applications/app-1/attempts'] = [{ ...earlier, operatorReference: 'MP-restored' }]
    await waitSeconds(15)
    await see(() => expect(main().textContent).toContain(fr['payResult.unknown']))
    // The list no longer asks to confirm this payment.
    await see(() => expect(main().textContent).toContain('MP-restored'))
    expect(main().textContent).not.toContain(fr['attemptNext.waiting-for-approval'])
    await settle()
    expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1')
    expect(main().textContent).toContain(fr['payResult.unknown'])
  })

  it('names the day of the next query of an order without an answer, which is asked once a day (F1, D42)', async () => {
    const { see, device, main } = await openResult({
      '/payments/pay-1': { ...openPayment, paymentStatus: 'ERROR', failure: 'no-answer' },
      '/payments/applications/app-1/attempts': [
        { ...openAttempt, state: 'ERROR', next: 'ask-help', nextAt: '2026-06-16T09:00:00Z' },
      ],
    })
    await device.advance(300)
    await see(() => expect(main().textContent).toContain(fr['attemptNext.ask-help']))
    expect(main().textContent?.replaceAll('\u00A0', ' ')).toContain('16 juin 2026 à 10:00.')
  })

  it('links to the code screen when the payment waits for a code', async () => {
    const { see, device, main } = await openResult({
      '/payments/pay-1': { ...openPayment, needOtp: true },
      '/payments/applications/app-1/attempts': [{ ...openAttempt, next: 'waiting-for-code' }],
    })
    await device.advance(300)
    await see(() => expect(main().querySelector('a[href="/payOtp/app-1/PP-1/pay-1"]')).not.toBeNull())
  })

  it('names the payment that was open before Pay, and offers to go on with it or to give it up (ERR17, D47)', async () => {
    const card = { ...openAttempt, methodType: 'CARD', method: 'CinetPay', next: 'waiting-for-card' }
    const { see, device, main, button, router } = await openResult({
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [card],
      '/version': { version: '1', features: ['caseFile', 'cancelPayment'] },
    })
    await device.advance(300)
    await see(() => expect(button(fr['payResult.continueCard'])).toBeTruthy())
    await see(() => expect(button(fr['cancelPayment.button'])).toBeTruthy())
    expect(main().textContent).not.toContain(fr['payResult.other'])
    await router.navigate({ to: '.', state: { isOtherPayment: true } })
    await see(() => expect(main().textContent).toContain(fr['payResult.other']))
    expect(main().textContent).toContain('CinetPay')
  })

  it('says in view what to do, and until when, when the card page does not open again and the payment cannot be given up (D42, D47)', async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
    const card = { ...openAttempt, methodType: 'CARD', method: 'CinetPay', next: 'waiting-for-card' }
    const answers = answerWith({
      '/payments/pay-1': openPayment,
      '/payments/applications/app-1/attempts': [card],
      '/version': { version: '1', features: ['caseFile', 'cancelPayment'] },
    })
    const open = {
      ...refusedCancel,
      reason: 'payment-open',
      data: { ...refusedCancel.data, paymentId: 'pay-1' },
    }
    portal = await openPortal({
      path: '/payResult/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      answer(request) {
        if (request.url.includes('/card-payment-init')) return { status: 409, json: open }
        return request.url.endsWith('/cancel') ? { status: 409, json: refusedCancel } : answers(request)
      },
    })
    const { see, main, notices, button } = portal
    const text = () => main().textContent.replaceAll('\u00A0', ' ')
    await see(() => button(fr['payResult.continueCard']).click())
    await see(() => expect(text()).toContain('Vous pouvez y payer jusqu’à 10:05 :'))
    expect(text()).toContain(
      'ce paiement sera clos le 16 juin 2026 à 10:00, et vous pourrez payer autrement.',
    )
    expect(scrolled).toHaveBeenCalled()
    expect(notices.state().last).toBeUndefined()
    scrolled.mockClear()
    await see(() => button(fr['cancelPayment.button']).click())
    await see(() => expect(scrolled).toHaveBeenCalled())
    expect(text().split(fr['cancelPayment.cardNotNow'])).toHaveLength(2)
    expect(text()).not.toContain(fr['cancelPayment.inProgress'])
  })

  it('shows nothing of one payment on the page of the next one, and cancels that with its own key (D13, D47)', async () => {
    const next = { ...openAttempt, id: 'pay-2', orderNumber: 'PO-2' }
    const answers = answerWith({
      '/payments/pay-1': openPayment,
      '/payments/pay-2': { ...openPayment, id: 'pay-2', orderId: 'PO-2' },
      '/payments/applications/app-1/attempts': [openAttempt, next],
      '/version': { version: '1', features: ['caseFile', 'cancelPayment'] },
    })
    let cancelling: 'refused' | 'lost' = 'refused'
    portal = await openPortal({
      path: '/payResult/app-1/PP-1/pay-1',
      state: 'DATA_SAVED',
      answer(request) {
        if (!request.url.endsWith('/cancel')) return answers(request)
        return cancelling === 'lost' ? 'no connection' : { status: 409, json: refusedCancel }
      },
    })
    const { see, device, main, button, router, requests } = portal
    const cancels = () => requests.filter(({ url }) => url.endsWith('/cancel'))
    const openNext = (paymentId: string) =>
      router.navigate({ to: '.', params: { paymentId: toPaymentId(paymentId) } })
    const cancel = () => see(() => button(fr['cancelPayment.button']).click())
    await device.advance(300)
    await see(() => expect(main().textContent).toContain('PO-1'))
    await cancel()
    await see(() => expect(main().textContent).toContain(fr['cancelPayment.inProgress']))

    await openNext('pay-2')
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-2'))
    await see(() => expect(main().textContent).not.toContain(fr['cancelPayment.inProgress']))
    const checks = () => requests.filter(({ url }) => url.includes('/payments/pay-2?')).length
    expect(checks()).toBe(0)
    await device.advance(300)
    await see(() => expect(checks()).toBe(1))

    cancelling = 'lost'
    await cancel()
    await see(() => expect(cancels()).toHaveLength(2))
    await openNext('pay-1')
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
    await cancel()
    await see(() => expect(cancels()).toHaveLength(3))
    const keys = cancels().map(({ headers }) => headers.get('idempotency-key'))
    expect(new Set(keys).size).toBe(3)
  })

  it('finds the application number that the page after the bank does not name (D97)', async () => {
    portal = await openPortal({
      path: '/payResult/app-1/-/pay-1',
      state: 'DATA_SAVED',
      answer: answerWith({ '/payments/pay-1': openPayment }),
    })
    const { see, main } = portal
    await see(() => expect(main().textContent).toContain('PP-1'))
  })

  it('shows at once that the payment failed when the case file answers before the first poll (PAY27)', async () => {
    const { see, main } = await openResult(
      {
        '/payments/pay-1': { ...openPayment, paymentStatus: 'ERROR', failure: 'refused-on-phone' },
        '/payments/applications/app-1/attempts': [
          {
            ...openAttempt,
            state: 'ERROR',
            next: 'nothing-taken',
            nextAt: null,
            failure: 'refused-on-phone',
          },
        ],
      },
      fr['payResult.heading'],
    )
    await see(() => expect(main().textContent).toContain(fr['status.ERROR']))
    expect(main().textContent).not.toContain(fr['payResult.waiting'])
  })

  it('shows the result without a case file when the server has none (D5)', async () => {
    const { see, device, main } = await openResult({
      '/payments/pay-1': { ...openPayment, paymentStatus: 'SUCCESS' },
    })
    await device.advance(300)
    await see(() => expect(main().textContent).toContain(fr['status.SUCCESS']))
    expect(main().textContent).not.toContain(fr['case.heading'])
  })
})

const refusedCancel = {
  statusCode: 409,
  message: 'x',
  data: { why: 'in-progress', tryAgainAt: '2026-06-15T09:05:00Z', until: '2026-06-16T09:00:00Z' },
}

/**
 * Opens the result and waits for `heading`. Without `heading`, waits for one of the headings that the page may have at
 * first: the attempts may have arrived, and may already say that the payment has ended. Pass `heading` to wait until
 * the page shows what the attempts say.
 */
async function openResult(answers: Record<string, unknown>, heading?: string) {
  portal = await openPortal({
    path: '/payResult/app-1/PP-1/pay-1',
    state: 'DATA_SAVED',
    answer: answerWith(answers),
  })
  // The case file may arrive before the first look, and may know more than the payment, which is not queried yet.
  const opened = [fr['status.IN_PROGRESS'], fr['approval.heading'], fr['payResult.heading']]
  const headings = heading === undefined ? opened : [heading]
  await portal.see(() => expect(headings).toContain(document.querySelector('h1')?.textContent))
  return portal
}
