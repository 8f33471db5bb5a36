import { useSyncExternalStore } from 'react'
import type { FormValues } from '#contract/application.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import type { VerifiedFields } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { type Services, useServices } from '#app/services.ts'
import type { FormMethods } from './form-hooks.ts'

/** The verified contacts of the account, '' for one that it has not verified. `msisdn`: digits, country code first. */
export type VerifiedContact = { msisdn: string; email: string }

/** Returns the contacts as the session knows them; both are '' while signed out (PER14, S04). */
export function useVerifiedContact(): VerifiedContact {
  const { session } = useServices()
  const state = useSyncExternalStore(
    listener => session.subscribe(listener),
    () => session.state(),
  )
  return contactOf(state)
}

function contactOf(state: ReturnType<Services['session']['state']>): VerifiedContact {
  if (state.kind === 'signed-out') return { msisdn: '', email: '' }
  return { msisdn: state.claims.msisdn ?? '', email: state.claims.email ?? '' }
}

export function verifiedFields(contact: VerifiedContact): VerifiedFields {
  return { phoneNumber: contact.msisdn !== '', email: contact.email !== '' }
}

/**
 * Returns a function that says which contacts are verified now: another tab may add or remove one. After the end of the session
 * it repeats its last result, because the form stays open a little longer and must not show new issues.
 */
export function createVerifiedFields({ session }: Pick<Services, 'session'>): () => VerifiedFields {
  let last = verifiedFields(contactOf(session.state()))
  return () => {
    const state = session.state()
    if (state.kind !== 'signed-out') last = verifiedFields(contactOf(state))
    return last
  }
}

/** Form values of the verified contacts. The caller overwrites with them what a draft or the server has (PER14). */
export function verifiedValues({ msisdn, email }: VerifiedContact): Partial<FormValues> {
  const phone = splitMsisdn(msisdn, knownDialCodes)
  return {
    ...(msisdn !== '' && { dialCode: phone.dialCode, phoneNumber: phone.subscriber }),
    ...(email !== '' && { email }),
  }
}

/** Writes the verified contacts into the form. Other contacts stay as they are. */
export function copyVerifiedContacts({ session }: Pick<Services, 'session'>, form: FormMethods): void {
  const { dialCode, phoneNumber, email } = {
    ...form.getValues(),
    ...verifiedValues(contactOf(session.state())),
  }
  form.setValue('dialCode', dialCode)
  form.setValue('phoneNumber', phoneNumber)
  form.setValue('email', email)
}
