import type { FormValues } from '#contract/application.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import type { Locked } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import type { Caller } from '#server/http/call.ts'

type Contact = Pick<Caller, 'msisdn' | 'email'>

/** What sign-in proved is known and never validated (PER14, S04). */
export function lockedBy(caller: Contact): Locked {
  return { phoneNumber: caller.msisdn !== '', email: caller.email !== '' }
}

/** The form's fields as sign-in proved them; they stand whatever a client sends in their place. */
export function provenFields(caller: Contact): Partial<FormValues> {
  const locked = lockedBy(caller)
  return {
    ...(locked.phoneNumber && provenPhone(caller.msisdn)),
    ...(locked.email && { email: caller.email }),
  }
}

function provenPhone(msisdn: string): Pick<FormValues, 'dialCode' | 'phoneNumber'> {
  const { dialCode, subscriber } = splitMsisdn(msisdn, knownDialCodes)
  return { dialCode, phoneNumber: subscriber }
}
