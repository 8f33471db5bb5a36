import { type Kysely, sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import { contactValue, columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Secrets } from '#server/config/secrets.ts'
import { idOfAccount } from './account-id.ts'
import type { Contact } from './contact.ts'

/**
 * Returns the applicant of a verified contact and creates one when the contact is new. Stores the language and the time of
 * the sign-in. `msisdn` and `email` are '' when the applicant has no such contact.
 */
export async function findOrCreateApplicant(
  trx: Kysely<Schema>,
  { draftKey }: Pick<Secrets, 'draftKey'>,
  { contact, language }: { contact: Contact; language: Language },
): Promise<{ applicantId: string; msisdn: string; email: string; deletesAt: string | undefined }> {
  const applicantId = (await recordProof(trx, contact)) ?? (await createApplicant(trx, draftKey, contact))
  const { deletion_at: deletionAt } = await trx
    .updateTable('applicant')
    .set({ language, signed_in_at: sql<Date>`now()` })
    .where('id', '=', applicantId)
    .returning('deletion_at')
    .executeTakeFirstOrThrow()
  const contacts = await trx
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', applicantId)
    .orderBy('proven_at', 'desc')
    .execute()
  const find = (kind: Contact['kind']) =>
    kind === contact.kind ? contact.value : (contacts.find(each => each.kind === kind)?.value ?? '')
  return {
    applicantId,
    msisdn: find('phone'),
    email: find('email'),
    deletesAt: deletionAt?.toISOString(),
  }
}

/**
 * Stores that a code has proven the contact (D122). Returns its applicant; undefined when no account has it. Locks the
 * contact.
 */
export async function recordProof(
  trx: Kysely<Schema>,
  { kind, value }: Pick<Contact, 'kind' | 'value'>,
): Promise<string | undefined> {
  const proven = await trx
    .updateTable('contact')
    .set({ last_proven_at: sql<Date>`now()` })
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .returning('applicant_id')
    .executeTakeFirst()
  return proven?.applicant_id
}

/**
 * Returns the id of the applicant who has a contact; undefined when no account has it. In a transaction the contact stays
 * locked: its removal waits, and then also ends the session that this transaction has opened (D70).
 */
export async function findApplicant(
  trx: Kysely<Schema>,
  { kind, value }: Pick<Contact, 'kind' | 'value'>,
): Promise<string | undefined> {
  const found = await trx
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    // With a shared lock, two such transactions at once would deadlock when each of them stores the proof.
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found?.applicant_id
}

/**
 * Of two first sign-ins with one contact at the same time, one violates the unique key of the contact. Its transaction
 * runs again and finds the applicant that the other sign-in created.
 */
async function createApplicant(trx: Kysely<Schema>, draftKey: Uint8Array, contact: Contact): Promise<string> {
  const id = await insertApplicant(trx, count => idOfAccount(draftKey, contact, count))
  await trx
    .insertInto('contact')
    .values({ kind: contact.kind, value: contactValue(contact.value), applicant_id: id })
    .execute()
  return id
}

/**
 * Inserts an applicant with the first id that no account has, or had within the last year (D133), and returns the id.
 * `idOf`: the id of each try.
 */
async function insertApplicant(trx: Kysely<Schema>, idOf: (count: number) => string): Promise<string> {
  for (let count = 0; ; count += 1) {
    const id = idOf(count)
    const created = await trx
      .insertInto('applicant')
      .values({ id })
      .onConflict(conflict => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (created === undefined) continue
    // A statement of its own, after the insert: the insert waits while another transaction deletes an account with this id,
    // and only a later statement sees the row of that deletion.
    const past = await trx
      .selectFrom('past_applicant')
      .select('id_hash')
      .where('id_hash', '=', sql<string>`encode(sha256(convert_to(${id}, 'UTF8')), 'hex')`)
      .executeTakeFirst()
    if (past === undefined) return id
    await trx.deleteFrom('applicant').where('id', '=', id).execute()
  }
}
