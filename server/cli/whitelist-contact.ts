import * as z from 'zod/mini'
import { homeDialCode } from '#contract/codes.ts'
import { withoutSeparators } from '#contract/phone.ts'
import type { ContactKind } from '#contract/account.ts'

export type WhitelistContact = { kind: ContactKind; value: string }

export const unknownContactFault =
  'is neither an e-mail address nor a phone number with its country code, as +237671234567'

const contactCell = z.pipe(
  z.string().check(z.refine(text => readWhitelistContact(text) !== undefined, unknownContactFault)),
  z.transform(readWhitelistContact),
)

export const whitelistColumns = { contact: contactCell, otherContact: z.optional(contactCell) }

/** Reads a phone number or an e-mail address as the whitelist stores it; undefined when it is neither. */
export function readWhitelistContact(text: string): WhitelistContact | undefined {
  if (text.includes('@'))
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? { kind: 'email', value: text.toLowerCase() } : undefined
  const isInternational = /^\s*(?:\+|00)/.test(text)
  const value = withoutSeparators(text).replace(/^00/, '')
  return hasCountryCode(value, isInternational) ? { kind: 'phone', value } : undefined
}

/**
 * Applicants sign in with a country code, so a number without one would match no applicant. A number without + or 00
 * counts as one with a country code when it is longer than a home number.
 */
function hasCountryCode(digits: string, isInternational: boolean): boolean {
  if (digits.startsWith(homeDialCode)) return /^[26]\d{8}$/.test(digits.slice(homeDialCode.length))
  return /^[1-9]\d{6,14}$/.test(digits) && (isInternational || digits.length > homeNumberLength)
}

/** Digits of a home number without its country code. */
const homeNumberLength = 9
