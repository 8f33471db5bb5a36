import * as z from 'zod/mini'
import { isCalendarDate } from '#contract/dates.ts'
import { countries } from '#server/seed/countries.ts'

/**
 * Schemas for the cells of an operator's file. `readTable` writes the text of the cell before each message:
 * `"Febr" is not …`.
 */

export function textCell(longest: number) {
  return z.string().check(z.maxLength(longest, `is longer than ${longest} characters`))
}

export function wholeNumberCell(least: number, most: number) {
  const message = `is not a whole number from ${least} to ${most}`
  return z.pipe(
    z
      .string()
      .check(
        z.refine(text => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, message),
      ),
    z.transform(Number),
  )
}

export function yesOrNoCell() {
  return z.pipe(
    z.enum(['yes', 'no'], 'is neither yes nor no'),
    z.transform(text => text === 'yes'),
  )
}

export function dayCell() {
  return z.string().check(z.refine(isCalendarDate, 'is not a date such as 2026-12-25'))
}

/** Accepts `8:00` and `08:00`; returns `08:00`. */
export function timeOfDayCell() {
  return z.pipe(
    z.string().check(z.regex(/^(?:[01]?\d|2[0-3]):[0-5]\d$/, 'is not a time such as 08:30')),
    z.transform(text => text.padStart(5, '0')),
  )
}

export function timeZoneCell() {
  return z.string().check(z.refine(isTimeZone, 'is not a time zone such as Africa/Douala'))
}

/** Accepts two letters (ISO 3166-1); returns the country's number in the dictionary. */
export function countryCell() {
  return z.pipe(
    z
      .string()
      .check(
        z.refine(
          text => countryNumber(text) !== undefined,
          'is not the two letters of a country, such as CM',
        ),
      ),
    z.transform(text => countryNumber(text) ?? 0),
  )
}

export function countryNumber(letters: string): number | undefined {
  return countries.find(({ iso2 }) => iso2 === letters.toUpperCase())?.id
}

const weekdayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Accepts `mon-fri`, `tue thu sat` or `none`; returns the numbers of the days, 1 for Monday. */
export function weekdaysCell() {
  const message = 'is not a list of weekdays such as "mon-fri", "tue thu" or "none"'
  return z.pipe(
    z.string().check(z.refine(text => readWeekdays(text) !== undefined, message)),
    z.transform(text => readWeekdays(text) ?? []),
  )
}

function readWeekdays(text: string): number[] | undefined {
  if (text.toLowerCase() === 'none') return []
  const spans = text
    .toLowerCase()
    .split(/[\s,]+/)
    .map(readSpan)
  if (spans.some(span => span === undefined)) return undefined
  return [...new Set(spans.flatMap(span => span ?? []))].sort((one, other) => one - other)
}

function readSpan(text: string): number[] | undefined {
  const [from = '', to = from, ...more] = text.split('-')
  const [first, last] = [weekdayNames.indexOf(from), weekdayNames.indexOf(to)]
  if (more.length > 0 || first < 0 || last < first) return undefined
  return Array.from({ length: last - first + 1 }, (_, index) => first + index + 1)
}

function isTimeZone(name: string): boolean {
  try {
    return name.includes('/') && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false // a RangeError: the zone is unknown
  }
}
