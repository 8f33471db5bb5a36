import { describe, expect, it } from 'vitest'
import { holdOf } from '#screens/schedule/hold-notice.tsx'

describe('holdOf', () => {
  it.each([
    [600, 0, { kind: 'minutes', minutes: 10 }],
    [600, 1, { kind: 'minutes', minutes: 9 }],
    [600, 539_999, { kind: 'minutes', minutes: 1 }],
    [600, 540_001, { kind: 'seconds' }],
    [59, 0, { kind: 'seconds' }],
    [600, 600_000, { kind: 'expired' }],
    [0, 0, { kind: 'expired' }],
    // Negative when the clocks were read before the response came (`heldMs`).
    [0, -300, { kind: 'expired' }],
    [undefined, 0, { kind: 'none' }],
    [null, 0, { kind: 'none' }],
  ])(
    'returns the remaining time (D41): %s seconds, %i ms ago, give %j',
    (holdSeconds, elapsedMs, expected) => {
      expect(holdOf({ appointmentDate: '2026-07-01T08:00:00', holdSeconds }, elapsedMs)).toEqual(expected)
    },
  )

  it.each([
    [600, { kind: 'none' }],
    [30, { kind: 'none' }],
    [0, { kind: 'expired' }],
  ])(
    'says only the end of a reservation in the general queue (APT18): %i seconds give %j',
    (holdSeconds, expected) => {
      expect(holdOf({ appointmentDate: null, holdSeconds }, 0)).toEqual(expected)
    },
  )
})
