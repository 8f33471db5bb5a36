import { describe, expect, it } from 'vitest'
import { isOpen, nextPollDelayMs } from '#screens/payment/polling.ts'

describe('the checks of a payment', () => {
  it.each([
    [undefined, 15_000],
    ['IN_PROGRESS', 15_000],
    ['SUCCESS', false],
    ['ERROR', false],
  ] as const)('after %s the next one comes in %s (PAY27, S61)', (status, expected) => {
    expect(nextPollDelayMs(status)).toBe(expected)
    expect(isOpen(status)).toBe(expected !== false)
  })
})
