import { describe, expect, it } from 'vitest'
import { isPaymentOpen, nextPollDelayMs } from '#screens/payment/use-payment-check.ts'

describe('nextPollDelayMs', () => {
  it.each([
    [undefined, 15_000],
    ['IN_PROGRESS', 15_000],
    ['SUCCESS', false],
    ['ERROR', false],
  ] as const)(
    'returns a delay in milliseconds while the payment is open: after %s the delay is %s (PAY27, S61)',
    (status, expected) => {
      expect(nextPollDelayMs(status)).toBe(expected)
      expect(isPaymentOpen(status)).toBe(expected !== false)
    },
  )

  it.each([
    ['IN_PROGRESS', { isLongPoll: true }, 300],
    // After a lost answer the page polls again soon, and not in a tight loop.
    ['IN_PROGRESS', { isLongPoll: true, isLost: true }, 3_000],
    ['IN_PROGRESS', { isLongPoll: false, isLost: true }, 15_000],
    ['SUCCESS', { isLongPoll: true }, false],
  ] as const)(
    'returns a short delay only while the payment is open and the server would hold the next poll: after %s, %j the delay is %s (D68)',
    (status, poll, expected) => {
      expect(nextPollDelayMs(status, poll)).toBe(expected)
    },
  )
})
