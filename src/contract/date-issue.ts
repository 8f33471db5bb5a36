import { type DateFault, isCalendarDate, readDate, splitDate } from './dates.ts'
import { isBlank } from './fields.ts'

/** Returns the issue of a required date that is saved as one text; undefined when the date is valid. */
export function dateIssue(value: string): 'required' | DateFault | undefined {
  if (isBlank(value)) return 'required'
  if (isCalendarDate(value)) return undefined
  const parts = value.split('-')
  if (parts.some(isBlank)) return 'date-incomplete'
  // `readDate` accepts `2026-3-5`, which a saved date must not be: that is always YYYY-MM-DD.
  const read = readDate(splitDate(value))
  return read.kind === 'date' || parts.length !== 3 ? 'date-impossible' : read.kind
}
