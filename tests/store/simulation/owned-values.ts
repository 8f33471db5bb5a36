import type { FieldName } from '#contract/application.ts'

/** What Ben types must not look like an answer of Ada, so that each answer tells who has typed it. */
const bensSuffix = 'b' // one letter: `A1-p227b` just fits into `dayOfBirth`, which has at most 8 characters
const bensDialCodeOffset = 300 // more than the difference of any two dial codes of Ada

/** The value that this applicant types where the story says `value`. */
export function ownedValue(applicantId: string, field: FieldName, value: string): string {
  if (applicantId === 'ada') return value
  if (field === 'dialCode') return String(Number(value) + bensDialCodeOffset)
  if (field === 'phoneNumber') return `9${value.slice(1)}`
  return `${value}${bensSuffix}`
}

/**
 * Who has typed this answer. Undefined for a dial code, an empty answer, the default answer of a new form, and the
 * answer of an older release.
 */
export function ownerOf(field: FieldName, value: unknown): 'ada' | 'ben' | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (field === 'dialCode') return undefined
  if (field === 'phoneNumber') return value.startsWith('9') ? 'ben' : 'ada'
  // A typed text begins with the name of its tab: `A1.12` or `B1-p7`.
  if (!/^[AB]\d[.-]/.test(value)) return undefined
  return value.endsWith(bensSuffix) ? 'ben' : 'ada'
}
