import * as z from 'zod/mini'
import { homeDialCode } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import {
  homeNumberLength,
  normaliseSubscriber,
  splitMsisdn,
  toMsisdn,
  withoutSeparators,
} from '#contract/phone.ts'
import type { ContactKind } from '#contract/account.ts'
import { readContact } from '#server/features/session/contact.ts'

/** The normal form of a contact that an operator typed, or that a file of the operator has. */
export type TypedContact = { kind: ContactKind; value: string }

export const unknownContactFault =
  'is neither an e-mail address nor a phone number with its country code, such as +237671234567'

const contactCell = z.pipe(
  z.string().check(z.refine(text => readTypedContact(text) !== undefined, unknownContactFault)),
  z.transform(readTypedContact),
)

/** The columns of a file of people who paid in the old system. `otherContact`: a second contact for the same payment. */
export const whitelistColumns = { contact: contactCell, otherContact: z.optional(contactCell) }

/**
 * Reads a phone number or an e-mail address in the normal form that a sign-in gives it (D109), so that a person is found
 * however the number was written. Undefined when it is neither.
 */
export function readTypedContact(text: string): TypedContact | undefined {
  const typed = readSpelling(text)
  if (typed === undefined) return undefined
  const { kind, value } = typed
  // A contact that the sign-in refuses, such as the landline of a payer of the old system, stays as it is.
  const signInContact = readContact({
    msisdn: kind === 'phone' ? value : null,
    email: kind === 'email' ? value : null,
  })
  return { kind, value: signInContact?.value ?? value }
}

function readSpelling(text: string): TypedContact | undefined {
  if (text.includes('@')) {
    const value = text.normalize('NFC').toLowerCase()
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? { kind: 'email', value } : undefined
  }
  const digits = withoutSeparators(text).replace(/^00/, '')
  const isInternational = /^\s*(?:\+|00)/.test(text) || digits.length > homeNumberLength
  const value = normalNumber(digits)
  return hasCountryCode(value, isInternational) ? { kind: 'phone', value } : undefined
}

/** Removes the zero of domestic calls and a doubled 237. A number with an unknown code stays as it is. */
function normalNumber(digits: string): string {
  const { dialCode, subscriber } = splitMsisdn(digits, knownDialCodes)
  return digits.startsWith(dialCode) ? toMsisdn(dialCode, normaliseSubscriber(dialCode, subscriber)) : digits
}

/**
 * Applicants sign in with a country code, so a number without one would match no applicant. A number without + or 00
 * counts as one with a country code when it is longer than a home number.
 */
function hasCountryCode(digits: string, isInternational: boolean): boolean {
  if (digits.startsWith(homeDialCode)) return /^[26]\d{8}$/.test(digits.slice(homeDialCode.length))
  return isInternational && /^[1-9]\d{6,14}$/.test(digits)
}
