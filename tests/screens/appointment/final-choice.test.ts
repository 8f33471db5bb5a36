import { describe, expect, it } from 'vitest'
import { finalChoiceOf } from '#screens/appointment/final-choice.ts'

const dates = ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04']
const time = { kind: 'time', officeId: '1', date: '2026-12-02', time: '08:00:00' } as const
const queue = { kind: 'queue', officeId: '1' } as const
const changeableFrom = '2026-12-02T09:00:00'

describe('finalChoiceOf (D43)', () => {
  it.each([
    ['a time too soon', time, changeableFrom, { kind: 'time', laterDay: '2026-12-03' }],
    ['the earliest time that can be changed', { ...time, time: '09:00:00' }, changeableFrom, undefined],
    ['a later day', { ...time, date: '2026-12-03' }, changeableFrom, undefined],
    [
      'a time too soon, with no day after that of changeableFrom',
      time,
      '2026-12-04T08:00:00',
      { kind: 'time', laterDay: undefined },
    ],
    ['a time when no change is left', { ...time, date: '2026-12-04' }, null, { kind: 'limit' }],
    ['the general queue when no change is left', queue, null, { kind: 'limit' }],
    ['the general queue while a change is left', queue, changeableFrom, undefined],
    ['a time when the server does not say from when', time, undefined, undefined],
    ['a list that is loading', { kind: 'waiting' } as const, null, undefined],
  ])('decides for %s whether the choice is final', (_, selection, earliest, expected) => {
    expect(finalChoiceOf(selection, { changeableFrom: earliest, dates })).toEqual(expected)
  })
})
