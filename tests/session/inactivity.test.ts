import { describe, expect, it } from 'vitest'
import { countsAsActivity, inactivityAfter } from '#session/inactivity.ts'

const minuteMs = 60_000

describe('an idle session', () => {
  it.each([
    [0, { kind: 'active', idleMs: 0, checkAfterMs: 4 * minuteMs }],
    [4 * minuteMs - 1, { kind: 'active', idleMs: 4 * minuteMs - 1, checkAfterMs: 1 }],
    [4 * minuteMs, { kind: 'warning', idleMs: 4 * minuteMs, secondsLeft: 60 }],
    [5 * minuteMs - 1, { kind: 'warning', idleMs: 5 * minuteMs - 1, secondsLeft: 1 }],
    [5 * minuteMs, { kind: 'expired' }],
    [50 * minuteMs, { kind: 'expired' }],
  ])(
    'with a limit of 5 minutes, after %i ms without activity, is in the state %o (SES07, SES10, SES11)',
    (idleMs, state) => {
      expect(inactivityAfter(idleMs, 300)).toEqual(state)
    },
  )

  it('starts with the warning when its limit is shorter than the warning', () => {
    expect(inactivityAfter(0, 30)).toEqual({ kind: 'warning', idleMs: 0, secondsLeft: 30 })
  })

  it('counts a negative idle time as none, after the clock was set back (S85)', () => {
    expect(inactivityAfter(-9 * minuteMs, 300)).toEqual({
      kind: 'active',
      idleMs: 0,
      checkAfterMs: 4 * minuteMs,
    })
  })
})

describe('activity', () => {
  it('counts once in 15 s (SES09)', () => {
    expect(countsAsActivity(14_999)).toBe(false)
    expect(countsAsActivity(15_000)).toBe(true)
  })

  it('counts when the clock was set back', () => {
    expect(countsAsActivity(-50)).toBe(true)
  })
})
