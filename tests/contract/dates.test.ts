import { describe, expect, it } from 'vitest'
import { dayIn, daysIn, isCalendarDate, joinDate, readDate, showDate, splitDate } from '#contract/dates.ts'
import { dateIssue } from '#contract/date-issue.ts'

describe('a date', () => {
  it.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2026-01-31', true],
    ['2026-01-32', false],
    ['2026-01-01', true],
    ['2026-01-00', false],
    ['2026-12-31', true],
    ['2026-13-01', false],
    ['2026-00-10', false],
    ['2026-04-30', true],
    ['2026-04-31', false],
    ['', false],
    ['2026-1-1', false],
    ['02026-01-01', false],
    ['12026-01-01', false],
    ['2026-01-011', false],
    ['2026-011-01', false],
    ['2026-01-01T00:00', false],
    ['abcd-01-01', false],
  ])('%s exists: %s (FRM18)', (text, exists) => {
    expect(isCalendarDate(text)).toBe(exists)
  })

  it('is in a month of 28 to 31 days', () => {
    const months = Array.from({ length: 12 }, (_, index) => daysIn(index + 1, 2026))
    expect(months).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    expect([1896, 1900, 2000, 2023, 2024, 2100].map(year => daysIn(2, year))).toEqual([
      29, 28, 29, 28, 29, 28,
    ])
  })

  it.each([
    [{ day: '', month: '', year: '' }, ''],
    [{ day: '5', month: '3', year: '1990' }, '1990-03-05'],
    [{ day: '05', month: '12', year: '1990' }, '1990-12-05'],
    [{ day: '05', month: '3', year: '1990' }, '1990-03-05'],
    [{ day: '5', month: '12', year: '1990' }, '1990-12-05'],
    [{ day: '5', month: '', year: '' }, '--5'],
    [{ day: '', month: '3', year: '' }, '-3-'],
    [{ day: '', month: '', year: '1990' }, '1990--'],
    [{ day: '5', month: '3', year: '990' }, '990-3-5'],
    [{ day: '5', month: '3', year: '19900' }, '19900-3-5'],
    [{ day: '005', month: '3', year: '1990' }, '1990-3-005'],
    [{ day: '5', month: '003', year: '1990' }, '1990-003-5'],
    [{ day: 'x5', month: '3', year: '1990' }, '1990-3-x5'],
    [{ day: '5x', month: '3', year: '1990' }, '1990-3-5x'],
    [{ day: '5', month: 'x3', year: '1990' }, '1990-x3-5'],
    [{ day: '5', month: '3x', year: '1990' }, '1990-3x-5'],
    [{ day: '5', month: '3', year: 'x1990' }, 'x1990-3-5'],
    [{ day: '5', month: '3', year: '1990x' }, '1990x-3-5'],
  ])('that is typed as %o is saved as %s (FRM18)', (parts, text) => {
    expect(joinDate(parts)).toBe(text)
  })

  it.each([
    ['1990-03-05', { day: '05', month: '03', year: '1990' }],
    ['1990-', { day: '', month: '', year: '1990' }],
    ['', { day: '', month: '', year: '' }],
  ])('that is saved as %s has the parts %o', (text, parts) => {
    expect(splitDate(text)).toEqual(parts)
  })

  it.each([
    ['5', '3', '1990', { kind: 'date', value: '1990-03-05' }],
    ['', '3', '1990', { kind: 'date-incomplete' }],
    ['5', ' ', '1990', { kind: 'date-incomplete' }],
    ['5', '3', '', { kind: 'date-incomplete' }],
    ['5', 'March', '1990', { kind: 'date-not-numbers' }],
    ['5.', '3', '1990', { kind: 'date-not-numbers' }],
    ['.5', '3', '1990', { kind: 'date-not-numbers' }],
    ['5', '3', '90', { kind: 'year-four-digits' }],
    ['5', '3', '19900', { kind: 'year-four-digits' }],
    // A part with a space stays as it was typed.
    ['5', '3', ' 1990', { kind: 'year-four-digits' }],
    ['5', '3', '1990 ', { kind: 'year-four-digits' }],
    ['5 ', '3', '1990', { kind: 'date-impossible' }],
    ['31', '4', '1990', { kind: 'date-impossible' }],
    ['005', '3', '1990', { kind: 'date-impossible' }],
  ])(
    'with the day "%s", the month "%s" and the year "%s" is read as %o (PER06)',
    (day, month, year, read) => {
      expect(readDate({ day, month, year })).toEqual(read)
    },
  )

  it.each([
    ['2026-03-05', '05.03.2026'],
    ['2026-03-05T10:30:00', '05.03.2026'],
    ['2026-02-30', '2026-02-30'],
    ['2026-3-5', '2026-3-5'],
    ['', ''],
  ])('that is saved as %s is shown as %s (FRM18, CNF06)', (text, shown) => {
    expect(showDate(text)).toBe(shown)
  })

  it.each([
    ['UTC', '2026-01-05T23:30:00Z', '2026-01-05'],
    ['Africa/Douala', '2026-01-05T23:30:00Z', '2026-01-06'],
    ['America/New_York', '2026-01-01T04:59:00Z', '2025-12-31'],
    ['UTC', '0999-12-31T00:00:00Z', '0999-12-31'],
  ])('in %s at %s is %s (S44)', (timeZone, instant, day) => {
    expect(dayIn(timeZone, new Date(instant))).toBe(day)
  })
})

describe('a required date that is saved as', () => {
  it.each([
    ['', 'required'],
    [' ', 'required'],
    ['2026-03-05', undefined],
    ['2026-3-', 'date-incomplete'],
    ['-3-5', 'date-incomplete'],
    // The form saves an incomplete date with two dashes, so the next two texts do not come from the form.
    ['2026-', 'date-incomplete'],
    ['2026', 'date-impossible'],
    ['2026-3-5', 'date-impossible'],
    ['2026-02-30', 'date-impossible'],
    ['2026-02-03-04', 'date-impossible'],
    ['26-3-5', 'year-four-digits'],
    ['2026-x-5', 'date-not-numbers'],
  ])('%s has the issue %s (S24)', (text, issue) => {
    expect(dateIssue(text)).toBe(issue)
  })
})
