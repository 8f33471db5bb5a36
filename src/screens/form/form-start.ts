import { type ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import { dialCodes } from '#contract/dial-codes.ts'
import type { Locked } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { readStored } from '#contract/stored-form.ts'

/** What sign-in proved of the applicant; '' where it proved nothing. */
export type Proven = { msisdn: string; email: string }

/** What was typed here last, else what the server has, else a new form (D30). */
export function startForm({
  draft,
  stored,
  proven,
}: {
  draft: FormValues | undefined
  stored: ApplicationData | undefined
  proven: Proven
}): FormValues {
  return { ...(draft ?? (stored ? readStored(stored) : emptyForm())), ...provenFields(proven) }
}

export function lockedFields(proven: Proven): Locked {
  return { phoneNumber: proven.msisdn !== '', email: proven.email !== '' }
}

/** The contact is known by sign-in, whatever an older draft says (PER14). */
function provenFields({ msisdn, email }: Proven): Partial<FormValues> {
  const phone = splitMsisdn(
    msisdn,
    dialCodes.map(({ code }) => code),
  )
  return {
    ...(msisdn !== '' && { dialCode: phone.dialCode, phoneNumber: phone.subscriber }),
    ...(email !== '' && { email }),
  }
}
