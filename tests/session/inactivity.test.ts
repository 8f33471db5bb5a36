import { describe, expect, it } from 'vitest'
import { countsAsActivity, inactivityAt } from '#session/inactivity.ts'

const minuteMs = 60_000

describe('an idle session', () => {
  it.each([
    [0, { kind: 'active', checkAfterMs: 4 * minuteMs }],
    [4 * minuteMs - 1, { kind: 'active', checkAfterMs: 1 }],
    [4 * minuteMs, { kind: 'warning', secondsLeft: 60 }],
    [5 * minuteMs - 1, { kind: 'warning', secondsLeft: 1 }],
    [5 * minuteMs, { kind: 'expired' }],
    [50 * minuteMs, { kind: 'expired' }],
  ])(
    'with a limit of 5 minutes, after %i ms without activity, is in the state %o (SES07, SES10, SES11)',
    (idle, state) => {
      expect(inactivityAt({ limitSeconds: 300, last: 1_000, now: 1_000 + idle })).toEqual(state)
    },
  )

  it('starts with the warning when its limit is shorter than the warning', () => {
    expect(inactivityAt({ limitSeconds: 30, last: 0, now: 0 })).toEqual({ kind: 'warning', secondsLeft: 30 })
  })

  it('neither ends nor lasts for ever when the clock is set back (S85)', () => {
    expect(inactivityAt({ limitSeconds: 300, last: 9 * minuteMs, now: 0 })).toEqual({
      kind: 'active',
      checkAfterMs: 4 * minuteMs,
    })
  })
})

describe('activity', () => {
  it('counts once in 15 s (SES09)', () => {
    expect(countsAsActivity({ last: 0, now: 14_999 })).toBe(false)
    expect(countsAsActivity({ last: 0, now: 15_000 })).toBe(true)
  })

  it('counts when the clock was set back', () => {
    expect(countsAsActivity({ last: 100, now: 50 })).toBe(true)
  })
})
