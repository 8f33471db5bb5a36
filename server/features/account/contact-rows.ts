import { type Kysely, sql } from 'kysely'
import { type ContactKind, undoHours } from '#contract/account.ts'
import { contactValue, columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'

type ContactKey = { kind: ContactKind; value: string }

/** `isEstablished`: the contact was proven so long ago that its addition can no longer be undone. */
export type OwnContact = ContactKey & { proven_at: Date; last_proven_at: Date; isEstablished: boolean }

/** Returns the applicant's contacts, at most one of each kind, the oldest first. */
export async function listContacts(db: Kysely<Schema>, applicantId: string): Promise<OwnContact[]> {
  return db
    .selectFrom('contact')
    .select([
      'kind',
      'value',
      'proven_at',
      'last_proven_at',
      sql<boolean>`proven_at < now() - make_interval(hours => ${undoHours})`.as('isEstablished'),
    ])
    .where('applicant_id', '=', applicantId)
    .orderBy('proven_at')
    .execute()
}

/** Locks the contact's row. Returns its owner; undefined when no account has the contact. */
export async function lockContactAndFindOwner(
  trx: Kysely<Schema>,
  { kind, value }: ContactKey,
): Promise<string | undefined> {
  const owner = await trx
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .forUpdate()
    .executeTakeFirst()
  return owner?.applicant_id
}

/**
 * Locks the applicants' rows until the transaction ends, so that none of them starts an application before. The order
 * by id prevents deadlocks between transactions that call this once; an undo may call it again, and is retried. Returns
 * the ids that still exist.
 */
export async function lockApplicants(trx: Kysely<Schema>, ids: string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('applicant')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(row => row.id)
}

export async function hasApplications(trx: Kysely<Schema>, applicantId: string): Promise<boolean> {
  const found = await trx
    .selectFrom('application')
    .select('id')
    .where('applicant_id', '=', applicantId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * A first sign-in with this contact at the same time causes a unique violation, so the caller retries its transaction
 * (`retryOnConflict`).
 */
export async function addContact(
  trx: Kysely<Schema>,
  { kind, value }: ContactKey,
  applicantId: string,
): Promise<void> {
  await trx
    .insertInto('contact')
    .values({ kind, value: contactValue(value), applicant_id: applicantId })
    .execute()
}

/** Does nothing when the account does not have the contact. */
export async function deleteContact(
  trx: Kysely<Schema>,
  { kind, value }: ContactKey,
  applicantId: string,
): Promise<void> {
  await trx
    .deleteFrom('contact')
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .where('applicant_id', '=', applicantId)
    .execute()
}

/**
 * Moves a contact away from `from`: the calling function has checked that this applicant has no applications. All sessions of
 * `from` end, and `from` is deleted if it has no other contact.
 */
export async function moveContact(
  trx: Kysely<Schema>,
  { kind, value }: ContactKey,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await trx
    .updateTable('contact')
    .set({ applicant_id: to, proven_at: sql<Date>`now()` })
    .where('kind', '=', kind)
    .where(columnIsContact('value', value))
    .execute()
  await endSessions(trx, from)
  await deleteWithoutContact(trx, from)
}

async function deleteWithoutContact(trx: Kysely<Schema>, applicantId: string): Promise<void> {
  await trx
    .deleteFrom('applicant')
    .where('id', '=', applicantId)
    .where(applicant =>
      applicant.not(
        applicant.exists(
          applicant.selectFrom('contact').select('value').where('applicant_id', '=', applicantId),
        ),
      ),
    )
    .execute()
}

/** Ends the open sessions of an applicant, and returns their number. Their access tokens become invalid too. */
export async function endSessions(
  trx: Kysely<Schema>,
  applicantId: string,
  { except }: { except?: string } = {},
): Promise<number> {
  const ended = await trx
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('applicant_id', '=', applicantId)
    .where('ended_at', 'is', null)
    .$if(except !== undefined, open => open.where('id', '<>', except ?? ''))
    .returning('id')
    .execute()
  return ended.length
}
