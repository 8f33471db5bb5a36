import { vi } from 'vitest'
import type { PortalOptions } from '#support/fixtures/open-portal.tsx'
import type { FakeDevice } from '#support/providers/fake-device.ts'

/** A mobile payment that waits for its payer, and the same payment as `listPaymentAttempts` returns it. */
export const openPayment = {
  id: 'pay-1',
  orderId: 'PO-1',
  paymentStatus: 'IN_PROGRESS',
  amount: 110_000,
  currency: 'XAF',
}
export const openAttempt = {
  id: 'pay-1',
  orderNumber: 'PO-1',
  methodType: 'MOBILE',
  method: 'MTN',
  createdAt: '2026-06-15T08:59:00Z',
  updatedAt: '2026-06-15T08:59:00Z',
  amount: 110_000,
  currency: 'XAF',
  operatorReference: 'MP1',
  state: 'IN_PROGRESS',
  history: [],
  next: 'waiting-for-approval',
  nextAt: '2026-06-15T09:05:00Z', // when the server queries the operator again
}

type Answers = Record<string, unknown>

/** Responds with the data of each path, which a test may change later. `others`: responses to the other calls. */
export function answerWith(answers: Answers, others: Answers = {}): NonNullable<PortalOptions['answer']> {
  return ({ url }) => {
    const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
    const known = path in answers ? answers : others
    return path in known ? { json: { data: known[path] } } : undefined
  }
}

/** Advances the fake timers of a polling query. */
export function waitSeconds(seconds: number) {
  return vi.advanceTimersByTimeAsync(seconds * 1_000)
}

/** Emits the event alone: a visible page stays visible, and a hidden one hidden. */
export function emitVisibilityChange() {
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
}

/** The phone sleeps while its monotonic clock stands still (S85). Call `vi.useRealTimers()` afterwards. */
export function sleepWithStandingClock(device: FakeDevice, ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.advanceTimersByTime(ms)
  device.hidePage()
  device.moveWallClock(ms)
  device.wakeUp()
  emitVisibilityChange()
}
