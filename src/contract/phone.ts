import { homeDialCode } from './codes.ts'

/** Digits of a number of Cameroon after its dial code. Shorter and longer ones are accepted (PER11). */
export const homeNumberLength = 9

/**
 * Returns the length of a phone number for the limits (S06): with code 237 only the digits after the code count, with any
 * other code all digits.
 */
function countedDigits(dialCode: string, subscriber: string): number {
  return dialCode === homeDialCode ? subscriber.length : dialCode.length + subscriber.length
}

/**
 * At sign-in: with code 237 at least 5 digits after the code, with any other code at least 6 with the code (SIG03, SIG04).
 * At most 15 with the code, as the longest international number.
 */
export function isSignInNumber(dialCode: string, subscriber: string): boolean {
  if (!/^\d+$/.test(subscriber) || dialCode.length + subscriber.length > 15) return false
  return countedDigits(dialCode, subscriber) >= (dialCode === homeDialCode ? 5 : 6)
}

export type PhoneIssue = 'phone-home' | 'phone-international'

/**
 * In forms: with code 237, 6–12 digits after the code; with any other code, 7–15 with the code (PER11, PER12, LIM02,
 * LIM03). Checks only the length: `digits` (fields.ts) refuses other characters.
 */
export function phoneIssue(dialCode: string, subscriber: string): PhoneIssue | undefined {
  const count = countedDigits(dialCode, subscriber)
  if (dialCode === homeDialCode) return count >= 6 && count <= 12 ? undefined : 'phone-home'
  return count >= 7 && count <= 15 ? undefined : 'phone-international'
}

/** Returns dial code and number as digits, without a plus sign (S42). */
export function toMsisdn(dialCode: string, subscriber: string): string {
  return `${dialCode}${subscriber}`
}

/** Formats an international number; a number of Cameroon in groups: +237 6 71 23 45 67. */
export function formatPhone(msisdn: string): string {
  const home = /^237(\d)(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(msisdn)
  if (home) return `+237 ${home.slice(1).join(' ')}`
  return msisdn === '' ? '' : `+${msisdn}`
}

/** Splits an international number. With an unknown code, all digits are the subscriber part of code 237. */
export function splitMsisdn(
  msisdn: string,
  dialCodes: readonly string[],
): { dialCode: string; subscriber: string } {
  const dialCode = dialCodes
    .filter(code => msisdn.startsWith(code))
    .sort((one, other) => other.length - one.length)[0]
  if (dialCode === undefined) return { dialCode: homeDialCode, subscriber: msisdn }
  return { dialCode, subscriber: msisdn.slice(dialCode.length) }
}

/** With these dial codes a leading zero is part of the number; with others it is only for domestic calls. */
const keepsZero: readonly string[] = ['39', '225', '226', '229', '242', '378', '992']

/**
 * Normalises a typed or pasted number: removes the dial code after + or 00, a leading zero unless the country keeps it, and
 * separators. Removes the code 237 of a long number also when neither + nor 00 stands before it. Letters stay, so that
 * `digits` (fields.ts) and `isSignInNumber` refuse them. The result does not change when it is normalised again.
 */
export function normaliseSubscriber(dialCode: string, typed: string): string {
  let rest = withoutSeparators(typed)
  if (/^\D*\+/.test(typed) && rest.startsWith(dialCode)) rest = rest.slice(dialCode.length)
  for (;;) {
    const shorter = withoutPrefix(dialCode, rest)
    if (shorter === rest) return rest
    rest = shorter
  }
}

/** Removes spaces, dots, dashes, slashes, brackets, plus signs and invisible characters. */
export function withoutSeparators(typed: string): string {
  return typed.replace(/[\s().+/\p{Pd}\p{Cf}]/gu, '')
}

/** Removes one prefix, if there is one: 00 with or without the dial code, the code 237 of a long number, or a zero. */
function withoutPrefix(dialCode: string, digits: string): string {
  if (digits.startsWith('00'))
    return digits.slice(digits.startsWith(`00${dialCode}`) ? dialCode.length + 2 : 2)
  if (dialCode === homeDialCode && digits.startsWith(dialCode) && digits.length > homeNumberLength)
    return digits.slice(dialCode.length)
  return keepsZero.includes(dialCode) ? digits : digits.replace(/^0(?=\d)/, '')
}
