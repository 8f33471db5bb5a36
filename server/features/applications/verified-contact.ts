import type { FormValues } from '#contract/application.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import type { VerifiedFields } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import type { Caller } from '#server/calls/call.ts'

type CallerContacts = Pick<Caller, 'msisdn' | 'email'>

/** The contact fields that a code verified, at sign-in or later: form checks skip them (PER14, S04). */
export function verifiedFields(caller: CallerContacts): VerifiedFields {
  return { phoneNumber: caller.msisdn !== '', email: caller.email !== '' }
}

/** The verified contact as form fields. The server stores these values whatever the client sends. */
export function verifiedValues(caller: CallerContacts): Partial<FormValues> {
  const verified = verifiedFields(caller)
  return {
    ...(verified.phoneNumber && verifiedPhone(caller.msisdn)),
    ...(verified.email && { email: caller.email }),
  }
}

function verifiedPhone(msisdn: string): Pick<FormValues, 'dialCode' | 'phoneNumber'> {
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  return { dialCode, phoneNumber: subscriber }
}
