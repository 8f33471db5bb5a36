import type { FieldName } from '#contract/application.ts'

/** What Ben types must not look like an answer of Ada, so that each answer tells who has typed it. */
const bensEnd = 'b' // short, because a date has at most 8 characters
const bensDialCodes = 300

/** The value that this applicant types where the story says `value`. */
export function ownedValue(applicantId: string, field: FieldName, value: string): string {
  if (applicantId === 'ada') return value
  if (field === 'dialCode') return String(Number(value) + bensDialCodes)
  if (field === 'phoneNumber') return `9${value.slice(1)}`
  return `${value}${bensEnd}`
}

/** Who has typed this answer; undefined for an empty one and for that of a new form. */
export function ownerOf(field: FieldName, value: unknown): 'ada' | 'ben' | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (field === 'dialCode') return undefined
  if (field === 'phoneNumber') return value.startsWith('9') ? 'ben' : 'ada'
  if (!/^[AB]\d[.-]/.test(value)) return undefined
  return value.endsWith(bensEnd) ? 'ben' : 'ada'
}
