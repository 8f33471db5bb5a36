import { describe, expect, it } from 'vitest'
import { secondsLeft, startCountdown } from '#sign-in/countdown.ts'

describe('the countdown to a new code', () => {
  it('lasts as many seconds as the server sends (OTP07, S86)', () => {
    expect(startCountdown(5_000, 90)).toEqual({ until: 95_000, length: 90 })
  })

  it('lasts 60 seconds without a value of the server (S16)', () => {
    expect(secondsLeft(startCountdown(0, undefined), 0)).toBe(60)
  })

  it.each([
    [0, 60],
    [1, 60],
    [1_000, 59],
    [59_999, 1],
    [60_000, 0],
    [600_000, 0],
  ])('shows after %i ms %i seconds (OTP05)', (now, left) => {
    expect(secondsLeft({ until: 60_000, length: 60 }, now)).toBe(left)
  })

  it('never exceeds its length when the clock is set back', () => {
    expect(secondsLeft({ until: 60_000, length: 60 }, -86_400_000)).toBe(60)
  })
})
