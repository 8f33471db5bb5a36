import { isBlank } from './fields.ts'

/**
 * Calendar arithmetic on text: a date of birth has no time zone (S44). Only `dayIn` reads a Date.
 * A stored date is YYYY-MM-DD (FRM18). A date that the applicant is typing may have empty parts: "2020-5-".
 */

export type DateParts = { day: string; month: string; year: string }

export function joinDate({ day, month, year }: DateParts): string {
  if (day === '' && month === '' && year === '') return ''
  if (/^\d{1,2}$/.test(day) && /^\d{1,2}$/.test(month) && /^\d{4}$/.test(year))
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return `${year}-${month}-${day}`
}

export function splitDate(text: string): DateParts {
  const [year = '', month = '', day = ''] = text.split('-')
  return { day, month, year }
}

export type DateFault = 'date-incomplete' | 'date-not-numbers' | 'year-four-digits' | 'date-impossible'

/** Returns a full date as YYYY-MM-DD, or its fault. */
export function readDate(parts: DateParts): { kind: 'date'; value: string } | { kind: DateFault } {
  const joined = joinDate(parts)
  if (isBlank(parts.day) || isBlank(parts.month) || isBlank(parts.year)) return { kind: 'date-incomplete' }
  if (Object.values(parts).some(part => !/^\d+$/.test(part.trim()))) return { kind: 'date-not-numbers' }
  if (!/^\d{4}$/.test(parts.year)) return { kind: 'year-four-digits' }
  return isCalendarDate(joined) ? { kind: 'date', value: joined } : { kind: 'date-impossible' }
}

/** True when the text is an existing day as YYYY-MM-DD; false for 2023-02-29. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year)
}

export function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Shows a date, or a text that begins with one, as DD.MM.YYYY (FRM18, CNF06). Returns any other text unchanged. */
export function showDate(text: string): string {
  if (!isCalendarDate(text.slice(0, 10))) return text
  const { day, month, year } = splitDate(text.slice(0, 10))
  return `${day}.${month}.${year}`
}

/** Returns the day of an instant in a time zone, YYYY-MM-DD. */
export function dayIn(timeZone: string, instant: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(instant)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}
