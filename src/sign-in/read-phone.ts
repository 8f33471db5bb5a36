import { knownDialCodes } from '#contract/dial-codes.ts'
import { homeDialCode } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import { homeNumberLength, normaliseSubscriber, splitMsisdn } from '#contract/phone.ts'

/** The two parts of a phone field: the dial code from the list, and the typed or pasted text. */
export type TypedPhone = { dialCode: string; number: string }

/**
 * Returns the number without separators and prefixes; letters stay. The code of a pasted international number (+33…, 0033…)
 * replaces the chosen one; an unknown code counts as part of a number of Cameroon.
 */
export function readPhone({ dialCode, number }: TypedPhone): { dialCode: string; subscriber: string } {
  const international = /^\s*(?:\+|00)(.*)$/.exec(number)?.[1]
  if (international === undefined) return { dialCode, subscriber: normaliseSubscriber(dialCode, number) }
  const parts = splitMsisdn(normaliseSubscriber('', international), knownDialCodes)
  return { ...parts, subscriber: normaliseSubscriber(parts.dialCode, parts.subscriber) }
}

/**
 * Splits a pasted international number with another dial code than the chosen one, so that the list shows the right country.
 * Returns any other number as it is.
 */
export function splitInternational(phone: TypedPhone): TypedPhone {
  const { dialCode, subscriber } = readPhone(phone)
  return dialCode === phone.dialCode ? phone : { dialCode, number: subscriber }
}

/** Returns the field parts of an earlier number, or an empty field for undefined. */
export function phoneOf(msisdn: string | undefined): TypedPhone {
  if (msisdn === undefined) return { dialCode: homeDialCode, number: '' }
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  return { dialCode, number: subscriber }
}

/** Returns what the applicant entered before hydration; undefined for an unchanged field. */
export function phoneTyped(device: Pick<Device, 'readPrerendered'>): TypedPhone | undefined {
  const number = device.readPrerendered('phoneNumber')?.text ?? ''
  const dialCode = device.readPrerendered('dialCode')?.text ?? homeDialCode
  return number === '' && dialCode === homeDialCode ? undefined : { dialCode, number }
}

/** Whether a number of Cameroon is shorter or longer than nine digits. This alone is no error: the page only warns. */
export function looksUnusual(phone: TypedPhone): boolean {
  const { dialCode, subscriber } = readPhone(phone)
  return dialCode === homeDialCode && subscriber !== '' && subscriber.length !== homeNumberLength
}
