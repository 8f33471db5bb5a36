import { describe, expect, it } from 'vitest'
import {
  firstOrPicked,
  nothingPicked,
  onlyOrPicked,
  pick,
  bookingSelectionOf,
} from '#screens/appointment/booking-selection.ts'

const all = { country: '10998', city: '1', officeId: '2', date: '2026-12-01', time: '09:30:00' }

describe('pick', () => {
  it.each([
    ['country', '9', { country: '9', city: '', officeId: '', date: '', time: '' }],
    ['city', '9', { ...all, city: '9', officeId: '', date: '', time: '' }],
    ['officeId', '9', { ...all, officeId: '9', date: '', time: '' }],
    ['date', '9', { ...all, date: '9', time: '' }],
    ['time', '9', { ...all, time: '9' }],
  ] as const)('of %s clears what depends on it (APT07)', (level, value, expected) => {
    expect(pick(all, level, value)).toEqual(expected)
  })
})

describe('onlyOrPicked', () => {
  it.each([
    ['', undefined, ''],
    ['', [], ''],
    ['', ['1'], '1'],
    ['', ['1', '2'], ''],
    ['2', ['1', '2'], '2'],
    ['3', ['1', '2'], ''],
    ['3', ['1'], '1'],
    ['2', undefined, ''],
  ])('returns for the pick %j of %j the item %j (APT08, APT10)', (picked, ids, expected) => {
    expect(
      onlyOrPicked(
        picked,
        ids?.map(id => ({ id })),
      ),
    ).toBe(expected)
  })
})

describe('firstOrPicked', () => {
  it.each([
    ['', undefined, ''],
    ['', [], ''],
    ['', ['08:00:00'], '08:00:00'],
    ['', ['08:00:00', '09:00:00'], '08:00:00'],
    ['09:00:00', ['08:00:00', '09:00:00'], '09:00:00'],
    ['10:00:00', ['08:00:00', '09:00:00'], '08:00:00'],
  ])('returns for the pick %j of %j the item %j (APT11, APT13, S10)', (picked, items, expected) => {
    expect(firstOrPicked(picked, items)).toBe(expected)
  })
})

describe('bookingSelectionOf', () => {
  const loaded = { dates: [all.date], slots: [all.time] }

  it('returns the chosen time', () => {
    expect(bookingSelectionOf(all, loaded)).toEqual({
      kind: 'time',
      officeId: '2',
      date: all.date,
      time: all.time,
    })
  })

  it('returns the general queue only when the office has no date (APT14, S09)', () => {
    const chosen = { ...all, date: '', time: '' }
    expect(bookingSelectionOf(chosen, { dates: [], slots: undefined })).toEqual({
      kind: 'queue',
      officeId: '2',
    })
    expect(bookingSelectionOf({ ...all, time: '' }, { ...loaded, slots: [] })).toEqual({ kind: 'full' })
  })

  it('returns waiting while dates or times load', () => {
    expect(bookingSelectionOf(all, { dates: undefined, slots: undefined })).toEqual({ kind: 'waiting' })
    expect(bookingSelectionOf(all, { ...loaded, slots: undefined })).toEqual({ kind: 'waiting' })
  })

  it('returns the missing levels before an office is chosen', () => {
    expect(bookingSelectionOf(nothingPicked, { dates: undefined, slots: undefined })).toEqual({
      kind: 'incomplete',
      missing: ['country', 'city', 'officeId'],
    })
    expect(bookingSelectionOf({ ...all, officeId: '' }, loaded)).toEqual({
      kind: 'incomplete',
      missing: ['officeId'],
    })
  })
})
