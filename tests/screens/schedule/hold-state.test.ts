import { describe, expect, it } from 'vitest'
import { holdStateAt } from '#screens/schedule/hold-state.ts'

describe('what is left of a reservation (D41)', () => {
  it.each([
    [600, 0, { kind: 'minutes', minutes: 10 }],
    [600, 1, { kind: 'minutes', minutes: 9 }],
    [600, 539_999, { kind: 'minutes', minutes: 1 }],
    [600, 540_001, { kind: 'briefly' }],
    [59, 0, { kind: 'briefly' }],
    [600, 600_000, { kind: 'over' }],
    [0, 0, { kind: 'over' }],
    [undefined, 0, { kind: 'none' }],
    [null, 0, { kind: 'none' }],
  ])('%s seconds, %i ms ago, leave %j', (holdSeconds, elapsed, expected) => {
    expect(holdStateAt(holdSeconds, elapsed)).toEqual(expected)
  })
})
