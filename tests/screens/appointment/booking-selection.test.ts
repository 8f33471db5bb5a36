import { describe, expect, it } from 'vitest'
import {
  firstOrPicked,
  nothingPicked,
  onlyOrPicked,
  pick,
  bookingSelectionOf,
} from '#screens/appointment/booking-selection.ts'

const all = { country: '10998', city: '1', officeId: '2', date: '2026-12-01', time: '09:30:00' }

describe('a pick', () => {
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

describe('the city or office in force', () => {
  it.each([
    ['', undefined, ''],
    ['', [], ''],
    ['', ['1'], '1'],
    ['', ['1', '2'], ''],
    ['2', ['1', '2'], '2'],
    ['3', ['1', '2'], ''],
    ['3', ['1'], '1'],
    ['2', undefined, ''],
  ])('with %j picked of %j is %j (APT08, APT10)', (picked, ids, expected) => {
    expect(
      onlyOrPicked(
        picked,
        ids?.map(id => ({ id })),
      ),
    ).toBe(expected)
  })
})

describe('the date or time in force', () => {
  it.each([
    ['', undefined, ''],
    ['', [], ''],
    ['', ['08:00:00'], '08:00:00'],
    ['', ['08:00:00', '09:00:00'], '08:00:00'],
    ['09:00:00', ['08:00:00', '09:00:00'], '09:00:00'],
    ['10:00:00', ['08:00:00', '09:00:00'], '08:00:00'],
  ])('with %j picked of %j is %j (APT11, APT13, S10)', (picked, items, expected) => {
    expect(firstOrPicked(picked, items)).toBe(expected)
  })
})

describe('what Confirm would ask for', () => {
  const loaded = { dates: [all.date], slots: [all.time] }

  it('is the time chosen', () => {
    expect(bookingSelectionOf(all, loaded)).toEqual({
      kind: 'time',
      officeId: '2',
      date: all.date,
      time: all.time,
    })
  })

  it('is a place in the general queue where the office has no date, and only there (APT14, S09)', () => {
    const chosen = { ...all, date: '', time: '' }
    expect(bookingSelectionOf(chosen, { dates: [], slots: undefined })).toEqual({
      kind: 'queue',
      officeId: '2',
    })
    expect(bookingSelectionOf({ ...all, time: '' }, { ...loaded, slots: [] })).toEqual({ kind: 'full' })
  })

  it('waits for the dates and the times', () => {
    expect(bookingSelectionOf(all, { dates: undefined, slots: undefined })).toEqual({ kind: 'waiting' })
    expect(bookingSelectionOf(all, { ...loaded, slots: undefined })).toEqual({ kind: 'waiting' })
  })

  it('is nothing before there is an office', () => {
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
