import type { Transaction } from 'kysely'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { readTypedContact, type TypedContact } from './typed-contact.ts'

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
