// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import fr from '#i18n/fr.json'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import {
  answerWith,
  openAttempt,
  openPayment,
  waitSeconds,
  openNextPage,
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
    openNextPage()
    const before = requests.length
    await waitSeconds(300)
    expect(requests).toHaveLength(before)
    answers['/payments/pay-1'] = { ...openPayment, paymentStatus: 'ERROR' }
    visibility.mockReturnValue('visible')
    openNextPage()
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    expect(main().textContent).not.toContain(fr['payment.underWay'])
    const last = requests.length
    await waitSeconds(300)
    expect(requests).toHaveLength(last)
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

async function openScreen(answers: Record<string, unknown>) {
  const ordinary: Record<string, unknown> = {
    '/payments': [],
    '/payments/payment-methods': [{ type: 'MOBILE', enable: true, fee: 110_000, currency: 'XAF' }],
  }
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    answer: answerWith(answers, ordinary),
  })
  await portal.heading(fr['payment.heading'])
  return portal
}
