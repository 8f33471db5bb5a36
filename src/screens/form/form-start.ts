import {
  type ApplicationData,
  emptyForm,
  fieldNames,
  type FormValues,
  fromWire,
  readForm,
} from '#contract/application.ts'
import { dialCodes } from '#contract/dial-codes.ts'
import type { Locked } from '#contract/person.ts'
import { splitMsisdn } from '#contract/phone.ts'

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
  return { ...(draft ?? readStored(stored)), ...provenFields(proven) }
}

export function lockedFields(proven: Proven): Locked {
  return { phoneNumber: proven.msisdn !== '', email: proven.email !== '' }
}

/** A server that has nothing yet answers with blanks; they would hide the defaults (GEN01, PER04, PER08). */
function readStored(stored: ApplicationData | undefined): FormValues {
  if (!stored) return emptyForm()
  const blank = fieldNames.every(field => stored[field] === '' || stored[field] === false)
  return blank ? emptyForm() : readForm(fromWire(stored))
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
