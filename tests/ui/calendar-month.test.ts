import { describe, expect, it } from 'vitest'
import {
  addDays,
  dateAfterKey,
  daysInMonth,
  monthsWithDates,
  weekdayOf,
  weeksOfMonth,
} from '#ui/calendar-month.ts'

describe('the weeks of a month', () => {
  it('start on Monday and leave the days of other months empty', () => {
    const weeks = weeksOfMonth('2026-03')
    expect(weeks).toHaveLength(6)
    expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-03-01'])
    expect(weeks[5]).toEqual(['2026-03-30', '2026-03-31', null, null, null, null, null])
  })

  it('are exactly four when February starts on a Monday', () => {
    const weeks = weeksOfMonth('2027-02')
    expect(weeks).toHaveLength(4)
    expect(weeks.flat()).not.toContain(null)
  })

  it.each([
    ['2024-02', 29],
    ['2026-02', 28],
    ['2100-02', 28],
    ['2026-04', 30],
    ['2026-12', 31],
  ])('know that %s has %i days', (month, days) => {
    expect(daysInMonth(month)).toBe(days)
    expect(weeksOfMonth(month).flat().filter(Boolean)).toHaveLength(days)
  })
})

describe('date arithmetic', () => {
  it.each([
    ['2026-03-29', 1, '2026-03-30'],
    ['2026-02-28', 1, '2026-03-01'],
    ['2026-01-01', -1, '2025-12-31'],
    ['2026-10-25', 7, '2026-11-01'],
  ])('%s and %i days give %s, whatever the clocks do', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected)
  })

  it('counts weekdays from Monday', () => {
    expect(weekdayOf('2026-03-02')).toBe(0)
    expect(weekdayOf('2026-03-01')).toBe(6)
  })

  it('lists each month that has dates once, in order', () => {
    expect(monthsWithDates(['2026-05-04', '2026-03-31', '2026-05-01'])).toEqual(['2026-03', '2026-05'])
    expect(monthsWithDates([])).toEqual([])
  })
})

describe('the keys of the calendar', () => {
  const months = ['2026-01', '2026-03', '2026-05']

  it.each([
    ['2026-03-10', 'ArrowLeft', '2026-03-09'],
    ['2026-03-10', 'ArrowRight', '2026-03-11'],
    ['2026-03-10', 'ArrowUp', '2026-03-03'],
    ['2026-03-10', 'ArrowDown', '2026-03-17'],
    ['2026-03-12', 'Home', '2026-03-09'],
    ['2026-03-12', 'End', '2026-03-15'],
  ])('lead within the month from %s by %s to %s', (date, key, expected) => {
    expect(dateAfterKey(date, key, months)).toBe(expected)
  })

  it.each([
    ['2026-03-31', 'ArrowRight', '2026-05-01'],
    ['2026-03-28', 'ArrowDown', '2026-05-01'],
    ['2026-03-01', 'ArrowLeft', '2026-01-31'],
    ['2026-01-31', 'PageDown', '2026-03-31'],
    ['2026-05-31', 'PageUp', '2026-03-31'],
  ])('step over a month without dates from %s by %s to %s', (date, key, expected) => {
    expect(dateAfterKey(date, key, months)).toBe(expected)
  })

  it.each([
    ['2026-01-01', 'ArrowLeft'],
    ['2026-01-03', 'ArrowUp'],
    ['2026-05-31', 'ArrowRight'],
    ['2026-01-10', 'PageUp'],
    ['2026-05-10', 'PageDown'],
  ])('stay at %s when %s would leave the dates on offer', (date, key) => {
    expect(dateAfterKey(date, key, months)).toBe(date)
  })

  it('keep to the last day of a shorter month', () => {
    expect(dateAfterKey('2026-01-31', 'PageDown', ['2026-01', '2026-02'])).toBe('2026-02-28')
  })

  it('leave every other key to the browser', () => {
    expect(dateAfterKey('2026-03-10', 'Tab', months)).toBeNull()
    expect(dateAfterKey('2026-03-10', 'Enter', months)).toBeNull()
  })
})
