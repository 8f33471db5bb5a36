import { useSyncExternalStore } from 'react'
import type { FormValues } from '#contract/application.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import type { VerifiedFields } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { useServices } from '#app/services.ts'

/** The verified contacts of the account, '' for one that it has not verified. `msisdn`: digits, country code first. */
export type VerifiedContact = { msisdn: string; email: string }

/** Returns the contacts as the session knows them; both are '' while signed out (PER14, S04). */
export function useVerifiedContact(): VerifiedContact {
  const { session } = useServices()
  const state = useSyncExternalStore(
    listener => session.subscribe(listener),
    () => session.state(),
  )
  if (state.kind === 'signed-out') return { msisdn: '', email: '' }
  return { msisdn: state.claims.msisdn ?? '', email: state.claims.email ?? '' }
}

export function verifiedFields(contact: VerifiedContact): VerifiedFields {
  return { phoneNumber: contact.msisdn !== '', email: contact.email !== '' }
}

/** Form values of the verified contacts. The caller overwrites with them what a draft or the server has (PER14). */
export function verifiedValues({ msisdn, email }: VerifiedContact): Partial<FormValues> {
  const phone = splitMsisdn(msisdn, knownDialCodes)
  return {
    ...(msisdn !== '' && { dialCode: phone.dialCode, phoneNumber: phone.subscriber }),
    ...(email !== '' && { email }),
  }
}
