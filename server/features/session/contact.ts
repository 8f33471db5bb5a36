import { domainToASCII, domainToUnicode } from 'node:url'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { homeDialCode } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import {
  isSignInNumber,
  splitMsisdn,
  normaliseSubscriber,
  toMsisdn,
  withoutSeparators,
} from '#contract/phone.ts'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import { isPremiumNumber } from '#contract/premium-numbers.ts'
import type { ContactKind } from '#contract/account.ts'

/**
 * A phone number or e-mail address with which an applicant signs in. `value` identifies the contact, and messages go to
 * it; a code goes to `address`, which is '' when no contact may get the code. `dialCode` is '' for an e-mail address.
 */
export type Contact = { kind: ContactKind; value: string; address: string; dialCode: string }

/** Reads a typed contact: the phone number if there is one, else the e-mail address. Undefined when invalid. */
export function readContact(body: { msisdn: string | null; email: string | null }): Contact | undefined {
  const msisdn = withoutSeparators(body.msisdn ?? '').replace(/^00/, '')
  if (msisdn !== '') return readPhone(msisdn)
  const typed = normaliseEmail(body.email ?? '').normalize('NFC')
  if (!isSignInEmail(typed)) return undefined
  const email = withNormalDomain(typed)
  if (!isSignInEmail(email)) return undefined
  // Different spellings of one mailbox belong to one applicant.
  return { kind: 'email', value: email.toLowerCase(), address: email, dialCode: '' }
}

function readPhone(msisdn: string): Contact | undefined {
  const { dialCode, subscriber: typed } = splitMsisdn(msisdn, knownDialCodes)
  // A number with the zero of domestic calls and the same number without it belong to one applicant.
  const subscriber = normaliseSubscriber(dialCode, typed)
  if (!msisdn.startsWith(dialCode) || !isSignInNumber(dialCode, subscriber)) return undefined
  const value = mobileNumber(dialCode, subscriber)
  return value === undefined ? undefined : { kind: 'phone', value, address: value, dialCode }
}

/**
 * Returns the address with the one form of its domain that the portal compares, so that the limits of a contact hold
 * for its mailbox: the mail system reads a domain also in other letters that look alike (`ｘ.cm` is `x.cm`) and in its
 * ASCII form (`xn--…`). The result has the ASCII form where the readable form has signs that no address may have here,
 * such as the vowels of Hindi. An invalid domain becomes empty.
 */
function withNormalDomain(email: string): string {
  const at = email.indexOf('@') + 1
  const ascii = domainToASCII(email.slice(at))
  const withDomain = (domain: string) => `${email.slice(0, at)}${domain}`
  const readable = withDomain(domainToUnicode(ascii))
  return isSignInEmail(readable) ? readable : withDomain(ascii)
}

/** Whether the typed number is a premium number. The applicant is told why it is refused. */
export function isPremiumContact({ msisdn }: { msisdn: string | null }): boolean {
  const { dialCode, subscriber } = splitMsisdn(
    withoutSeparators(msisdn ?? '').replace(/^00/, ''),
    knownDialCodes,
  )
  return isPremiumNumber(dialCode, normaliseSubscriber(dialCode, subscriber))
}

/**
 * Returns the number, with the dial code, when it can be a mobile phone by its length and prefix (D91); undefined for
 * others. This excludes numbers that do not exist, and ranges whose owner earns money with each message: attackers
 * request codes to both. The library removes the digits other than zero that a caller dials before a domestic number,
 * such as the 8 of Russia and the 1 of North America: a number with these digits and the same number without them are
 * one contact.
 */
function mobileNumber(dialCode: string, subscriber: string): string | undefined {
  const msisdn = toMsisdn(dialCode, subscriber)
  // All numbers of Cameroon that begin with 6 are mobile, also prefixes that the library does not know yet.
  if (dialCode === homeDialCode && /^6\d{8}$/.test(subscriber)) return msisdn
  const parsed = parsePhoneNumberFromString(`+${msisdn}`)
  const type = parsed?.getType()
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE' ? parsed?.number.slice(1) : undefined
}
