import { homeDialCode } from './codes.ts'

/**
 * The one place that says how a phone number is counted (S06): with code 237 the digits after the code,
 * with any other code every digit including it.
 */
export function countedDigits(dialCode: string, subscriber: string): number {
  return dialCode === homeDialCode ? subscriber.length : dialCode.length + subscriber.length
}

/** Sign-in: at least 5 subscriber digits at home, at least 6 digits elsewhere (SIG03, SIG04). */
export function isSignInNumber(dialCode: string, subscriber: string): boolean {
  if (!/^\d+$/.test(subscriber) || dialCode.length + subscriber.length > 15) return false
  return countedDigits(dialCode, subscriber) >= (dialCode === homeDialCode ? 5 : 6)
}

export type PhoneIssue = 'phone-home' | 'phone-international'

/** Forms: 6–12 subscriber digits at home, 7–15 digits elsewhere (PER11, PER12, LIM02, LIM03). */
export function phoneIssue(dialCode: string, subscriber: string): PhoneIssue | undefined {
  const count = countedDigits(dialCode, subscriber)
  if (dialCode === homeDialCode) return count >= 6 && count <= 12 ? undefined : 'phone-home'
  return count >= 7 && count <= 15 ? undefined : 'phone-international'
}

/** Digits only, country code first, no plus sign (S42). */
export function toMsisdn(dialCode: string, subscriber: string): string {
  return `${dialCode}${subscriber}`
}

/** A phone number in groups people can compare: +237 6 71 23 45 67. */
export function formatPhone(msisdn: string): string {
  const home = /^237(\d)(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(msisdn)
  if (home) return `+237 ${home.slice(1).join(' ')}`
  return msisdn === '' ? '' : `+${msisdn}`
}

/** Parts an international number again; an unknown code leaves all in the subscriber part of the home code. */
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

/** Numbers of these countries may begin with a zero of their own; elsewhere it is dialled at home only. */
const keepsZero: readonly string[] = ['39', '225', '226', '229', '242', '378', '992']

/**
 * What people paste: +237, 00237, 237 237, a leading zero, spaces and dots, down to the subscriber's digits. What
 * it gives stays as it is when it is put in again.
 */
export function subscriberDigits(dialCode: string, typed: string): string {
  let rest = withoutSeparators(typed)
  if (/^[^\d+]*\+/.test(typed) && rest.startsWith(dialCode)) rest = rest.slice(dialCode.length)
  for (;;) {
    const shorter = withoutPrefix(dialCode, rest)
    if (shorter === rest) return rest
    rest = shorter
  }
}

/** Spaces, dots, dashes, strokes, brackets, the plus sign and the unseen marks of a pasted text mean nothing. */
export function withoutSeparators(typed: string): string {
  return typed.replace(/[\s().+/\p{Pd}\p{Cf}]/gu, '')
}

/** One prefix fewer, if there is one: 00 with the country's code, the code at home, a zero. */
function withoutPrefix(dialCode: string, digits: string): string {
  if (digits.startsWith('00'))
    return digits.slice(digits.startsWith(`00${dialCode}`) ? dialCode.length + 2 : 2)
  if (dialCode === homeDialCode && digits.startsWith(dialCode) && digits.length > 9)
    return digits.slice(dialCode.length)
  return keepsZero.includes(dialCode) ? digits : digits.replace(/^0(?=\d)/, '')
}
