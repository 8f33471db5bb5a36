import type { Transaction } from 'kysely'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { readTypedContact, type TypedContact } from './typed-contact.ts'

/** For a text that is neither the number of an application nor a contact, such as a phone number without its country code. */
export const unknownApplicantFault =
  'This is neither the number of an application here nor a contact: a phone number needs its country code, such as +237671234567.'

/**
 * Finds the applicant whom an operator names by an application number or by a contact. `contact`: the contact in `text`, even
 * when no account has it; undefined when `text` is no contact.
 */
export async function findApplicant(
  trx: Transaction<Schema>,
  text: string,
): Promise<{ contact: TypedContact | undefined; applicantId: string | undefined }> {
  const contact = readTypedContact(text)
  const row = contact
    ? await trx
        .selectFrom('contact')
        .select('applicant_id')
        .where('kind', '=', contact.kind)
        .where(columnIsContact('value', contact.value))
        .executeTakeFirst()
    : await trx.selectFrom('application').select('applicant_id').where('number', '=', text).executeTakeFirst()
  return { contact, applicantId: row?.applicant_id }
}
