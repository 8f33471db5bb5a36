import { describe, expect, it } from 'vitest'
import { isOpen, nextPollDelayMs } from '#screens/payment/use-payment-check.ts'

describe('nextPollDelayMs', () => {
  it.each([
    [undefined, 15_000],
    ['IN_PROGRESS', 15_000],
    ['SUCCESS', false],
    ['ERROR', false],
  ] as const)(
    'returns a delay in milliseconds while the payment is open: after %s it is %s (PAY27, S61)',
    (status, expected) => {
      expect(nextPollDelayMs(status)).toBe(expected)
      expect(isOpen(status)).toBe(expected !== false)
    },
  )
})
