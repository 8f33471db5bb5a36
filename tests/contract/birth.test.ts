import { describe, expect, it } from 'vitest'
import { isUnderAge } from '#contract/birth.ts'

const fields = { day: 'day', month: 'month', year: 'year' } as const
const today = '2026-06-15'

describe('isUnderAge (REP15)', () => {
  it.each([
    ['15', '06', '2008', false],
    ['16', '06', '2008', true],
    ['14', '6', '2008', false],
    ['1', '1', '2009', true],
    ['15', '06', '2007', false],
    ['15', '06', '2026', true],
  ])('returns for a person born on %s/%s/%s: %s', (day, month, year, expected) => {
    expect(isUnderAge({ day, month, year }, fields, { unknown: false, today })).toBe(expected)
  })

  // A person who may have turned 18 this year counts as of age.
  it.each([
    ['2008', false],
    ['2009', true],
    ['2026', true],
    ['1990', false],
  ])('returns for a person born on an unknown day of %s: %s', (year, expected) => {
    expect(isUnderAge({ day: '', month: '', year }, fields, { unknown: true, today })).toBe(expected)
  })

  it.each([
    ['16', '06', '2026', false],
    ['1', '1', '2027', false],
    ['30', '02', '2015', false],
    ['', '06', '2015', false],
    ['5', '', '2015', false],
    ['5', '6', '', false],
    ['', '', '2027', true],
    ['', '', '20155', true],
    ['', '', '', true],
  ])('returns false while the date %s/%s/%s has an issue', (day, month, year, unknown) => {
    expect(isUnderAge({ day, month, year }, fields, { unknown, today })).toBe(false)
  })

  it('is exact when today is 29 February', () => {
    const leapDay = { unknown: false, today: '2028-02-29' }
    expect(isUnderAge({ day: '29', month: '2', year: '2008' }, fields, leapDay)).toBe(false)
    expect(isUnderAge({ day: '28', month: '2', year: '2010' }, fields, leapDay)).toBe(false)
    expect(isUnderAge({ day: '1', month: '3', year: '2010' }, fields, leapDay)).toBe(true)
  })
})
