import { readForm } from '#contract/application.ts'
import { isBlank } from '#contract/fields.ts'
import { toMsisdn } from '#contract/phone.ts'
import type { ApplicationRow } from './own-application.ts'

/** Where an application wants to be told; '' for what it does not name. */
export function formContacts({ data }: Pick<ApplicationRow, 'data'>): { phone: string; email: string } {
  const { dialCode, phoneNumber, email } = readForm(data)
  return {
    phone: isBlank(phoneNumber) ? '' : toMsisdn(dialCode, phoneNumber),
    email: email.trim(),
  }
}
