import { earliestBirthYear } from './codes.ts'
import { readDate } from './dates.ts'
import { isBlank } from './fields.ts'
import type { Issue } from './issues.ts'

/** The names of the three fields of a birth date. Only the year counts when the date is unknown (S23). */
export type BirthFields<Name extends string> = { day: Name; month: Name; year: Name }

/** `today`: YYYY-MM-DD. Returns every missing part, else the first issue of the date. */
export function birthIssues<Name extends string>(
  values: Record<Name, string>,
  fields: BirthFields<Name>,
  { unknown, today }: { unknown: boolean; today: string },
): Issue<Name>[] {
  const parts = unknown ? [fields.year] : [fields.day, fields.month, fields.year]
  const missing = parts.filter(field => isBlank(values[field]))
  if (missing.length > 0) return missing.map(field => ({ field, code: 'required' }))
  return unknown ? yearIssues(values, fields, today) : fullDateIssues(values, fields, today)
}

function yearIssues<Name extends string>(
  values: Record<Name, string>,
  fields: BirthFields<Name>,
  today: string,
): Issue<Name>[] {
  const year = values[fields.year]
  if (!/^\d{4}$/.test(year)) return [{ field: fields.year, code: 'year-four-digits' }]
  if (Number(year) < earliestBirthYear) return [{ field: fields.year, code: 'date-too-early' }]
  return year > today.slice(0, 4) ? [{ field: fields.year, code: 'date-in-future' }] : []
}

function fullDateIssues<Name extends string>(
  values: Record<Name, string>,
  fields: BirthFields<Name>,
  today: string,
): Issue<Name>[] {
  const date = readDate({ day: values[fields.day], month: values[fields.month], year: values[fields.year] })
  if (date.kind === 'year-four-digits') return [{ field: fields.year, code: date.kind }]
  if (date.kind !== 'date') return [{ field: fields.day, code: date.kind }]
  if (date.value < `${earliestBirthYear}-01-01`) return [{ field: fields.year, code: 'date-too-early' }]
  return date.value > today ? [{ field: fields.year, code: 'date-in-future' }] : []
}

/** Age from which a person needs no representative, in years (REP15). */
const fullAgeYears = 18

/** Whether a birth date is certainly less than 18 years ago; false while it has an issue. `today`: YYYY-MM-DD. */
export function isUnderAge<Name extends string>(
  values: Record<Name, string>,
  fields: BirthFields<Name>,
  { unknown, today }: { unknown: boolean; today: string },
): boolean {
  if (birthIssues(values, fields, { unknown, today }).length > 0) return false
  const limit = `${Number(today.slice(0, 4)) - fullAgeYears}${today.slice(4)}`
  const [day, month, year] = [values[fields.day], values[fields.month], values[fields.year]]
  if (unknown) return year > limit.slice(0, 4)
  const date = readDate({ day, month, year })
  return date.kind === 'date' && date.value > limit
}
