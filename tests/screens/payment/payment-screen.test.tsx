// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import fr from '#i18n/fr.json'
import { openPortal, type Opening, type Portal } from '#support/open-portal.tsx'

let portal: Portal | undefined
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await portal?.close()
})

const payment = {
  id: 'pay-1',
  orderId: 'PO-1',
  paymentStatus: 'IN_PROGRESS',
  amount: 110_000,
  currency: 'XAF',
}
const attempt = {
  id: 'pay-1',
  orderNumber: 'PO-1',
  methodType: 'MOBILE',
  method: 'MTN',
  createdAt: '2026-06-15T08:59:00Z',
  updatedAt: '2026-06-15T08:59:00Z',
  amount: 110_000,
  currency: 'XAF',
  operatorReference: '',
  state: 'IN_PROGRESS',
  history: [],
  next: 'waiting-for-approval',
  nextAt: null,
}
const attempts = '/payments/applications/app-1/attempts'

describe('the payment screen', () => {
  it('asks about an open payment every 15 s, never while nobody sees it, at once on return, and says that it failed (PAY27)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': payment, [attempts]: [attempt] }
    const { see, asked, main } = await openPayment(answers)
    const checks = () => asked.filter(({ url }) => url.includes('/payments/pay-1?')).length
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    await see(() => expect(checks()).toBe(1))
    await pass(14)
    expect(checks()).toBe(1)
    await pass(1)
    await see(() => expect(checks()).toBe(2))

    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    turn()
    const before = asked.length
    await pass(300)
    expect(asked).toHaveLength(before)
    answers['/payments/pay-1'] = { ...payment, paymentStatus: 'ERROR' }
    visibility.mockReturnValue('visible')
    turn()
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    expect(main().textContent).not.toContain(fr['payment.underWay'])
    const last = asked.length
    await pass(300)
    expect(asked).toHaveLength(last)
  })

  it('goes on to the result once the open payment has been paid (S40)', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answers: Record<string, unknown> = { '/payments/pay-1': payment, [attempts]: [attempt] }
    const { see, main, router } = await openPayment(answers)
    await see(() => expect(main().textContent).toContain(fr['payment.underWay']))
    answers['/payments/pay-1'] = { ...payment, paymentStatus: 'SUCCESS' }
    await pass(15)
    await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
  })

  it('says that the last payment failed, and asks about none that has ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const failed = { ...attempt, state: 'ERROR', next: 'nothing-taken' }
    const { see, asked, main } = await openPayment({ [attempts]: [failed] })
    await see(() => expect(main().textContent).toContain(fr['payment.lastFailed']))
    const last = asked.length
    await pass(300)
    expect(asked).toHaveLength(last)
    expect(asked.some(({ url }) => url.includes('/payments/pay-1?'))).toBe(false)
  })
})

async function openPayment(answers: Record<string, unknown>) {
  const ordinary: Record<string, unknown> = {
    '/payments': [],
    '/payments/payment-methods': [{ type: 'MOBILE', enable: true, fee: 110_000, currency: 'XAF' }],
  }
  const answer: NonNullable<Opening['answer']> = ({ url }) => {
    const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
    const data = answers[path] ?? ordinary[path]
    return data === undefined ? undefined : { json: { data } }
  }
  portal = await openPortal({ path: '/payment/app-1/PP-1', state: 'DATA_SAVED', answer })
  await portal.heading(fr['payment.heading'])
  return portal
}

function pass(seconds: number) {
  return vi.advanceTimersByTimeAsync(seconds * 1_000)
}

function turn() {
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
}
