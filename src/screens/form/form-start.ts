import { type ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import { dialCodes } from '#contract/dial-codes.ts'
import type { VerifiedFields } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { readStored } from '#contract/stored-form.ts'

/** What sign-in proved of the applicant; '' where it proved nothing. */
export type VerifiedContact = { msisdn: string; email: string }

/** What was typed here last, else what the server has, else a new form (D30). */
export function startForm({
  draft,
  stored,
  verifiedContact,
}: {
  draft: FormValues | undefined
  stored: ApplicationData | undefined
  verifiedContact: VerifiedContact
}): FormValues {
  return { ...(draft ?? (stored ? readStored(stored) : emptyForm())), ...verifiedValues(verifiedContact) }
}

export function verifiedFields(contact: VerifiedContact): VerifiedFields {
  return { phoneNumber: contact.msisdn !== '', email: contact.email !== '' }
}

/** The contact is known by sign-in, whatever an older draft says (PER14). */
function verifiedValues({ msisdn, email }: VerifiedContact): Partial<FormValues> {
  const phone = splitMsisdn(
    msisdn,
    dialCodes.map(({ code }) => code),
  )
  return {
    ...(msisdn !== '' && { dialCode: phone.dialCode, phoneNumber: phone.subscriber }),
    ...(email !== '' && { email }),
  }
}
