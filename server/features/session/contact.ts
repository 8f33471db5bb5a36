import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { isSignInNumber, splitMsisdn, withoutSeparators } from '#contract/phone.ts'
import { isSignInEmail, normaliseEmail } from '#contract/email.ts'
import type { ContactKind } from '#server/database/schema.ts'

/** A number or an address by which somebody signs in. `value` identifies; `address` is where messages go. */
export type Contact = { kind: ContactKind; value: string; address: string; dialCode: string }

/** What the body of a sign-in call names: the number if there is one, else the address; undefined when neither will do. */
export function readContact(body: { msisdn: string | null; email: string | null }): Contact | undefined {
  const msisdn = withoutSeparators(body.msisdn ?? '').replace(/^00/, '')
  if (msisdn !== '') return readPhone(msisdn)
  const email = normaliseEmail(body.email ?? '')
  if (!isSignInEmail(email)) return undefined
  // Who registers twice with another spelling of the same mailbox means one person.
  return { kind: 'email', value: email.toLowerCase(), address: email, dialCode: '' }
}

function readPhone(msisdn: string): Contact | undefined {
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  if (!msisdn.startsWith(dialCode) || !isSignInNumber(dialCode, subscriber)) return undefined
  return isCostly(msisdn) ? undefined : { kind: 'phone', value: msisdn, address: msisdn, dialCode }
}

/** Ranges that pay their owner for each message; fraud asks for codes there. */
function isCostly(msisdn: string): boolean {
  const type = parsePhoneNumberFromString(`+${msisdn}`)?.getType()
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST'
}
