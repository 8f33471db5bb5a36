import type { Transaction } from 'kysely'
import { isContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { readWhitelistContact, type WhitelistContact } from './whitelist-contact.ts'

/**
 * Finds the applicant whom an operator names by an application number or by a contact. `contact`: what was typed, when it is
 * a contact; also when no account has it.
 */
export async function findApplicant(
  trx: Transaction<Schema>,
  text: string,
): Promise<{ contact: WhitelistContact | undefined; applicantId: string | undefined }> {
  const contact = readWhitelistContact(text)
  const row = contact
    ? await trx
        .selectFrom('contact')
        .select('applicant_id')
        .where('kind', '=', contact.kind)
        .where(isContact('value', contact.value))
        .executeTakeFirst()
    : await trx.selectFrom('application').select('applicant_id').where('number', '=', text).executeTakeFirst()
  return { contact, applicantId: row?.applicant_id }
}
