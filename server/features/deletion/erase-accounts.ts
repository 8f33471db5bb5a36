import { type RawBuilder, sql, type Transaction } from 'kysely'
import { endpoints } from '#contract/endpoints.ts'
import { keptDays } from '#contract/retention.ts'
import { hiddenContact, isHiddenContact } from '#server/crypto/hidden-contact.ts'
import { columnIsContact, storedContacts, storedContactsLower } from '#server/database/contact-values.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { eraseApplications, hasOpenOrder } from './erase-applications.ts'

/** Maximum number of accounts that one transaction erases. */
const batchSize = 200

/**
 * Erases the accounts whose owners asked for it seven days ago (D112), and those without a sign-in for a year that have no
 * application left (D113). Each batch is one transaction, so a crash leaves no account half erased.
 */
export async function eraseAccounts(services: Services): Promise<void> {
  for (const due of [askedFor, unused]) while ((await eraseBatch(services, due)) === batchSize);
}

/** A payment that its provider may still report delays the deletion: the outcome of its order must be recorded first. */
const hasNoOpenOrder = sql`not exists (
  select from application where application.applicant_id = applicant.id and ${hasOpenOrder})`

const askedFor = sql`deletion_at <= now() and ${hasNoOpenOrder}`

const unused = sql`signed_in_at < now() - make_interval(days => ${sql.lit(keptDays.accounts)}) and not exists (
  select from application where application.applicant_id = applicant.id)`

/**
 * The comment at the start of the first SQL makes PostgreSQL plan it at each call, for the time of this call
 * (preparing-client.ts).
 */
function eraseBatch({ db, secrets, config }: Services, due: RawBuilder<unknown>): Promise<number> {
  return retryOnConflict(() =>
    db.transaction().execute(async trx => {
      const { rows } = await sql<{ id: string }>`/* not prepared (D95) */
        select id from applicant where ${due} limit ${batchSize} for update skip locked`.execute(trx)
      const ids = rows.map(({ id }) => id)
      const erasable = await lockErasable(trx, ids)
      if (erasable.length > 0) {
        await eraseApplications(
          trx,
          sql`select id from application where applicant_id = any (${erasable}::uuid[])`,
          config,
        )
        await hideWhitelisted(trx, erasable, secrets.codeKey)
        const contacts = await listContactsToErase(trx, erasable)
        for (const statement of deletions(erasable, contacts)) await statement.execute(trx)
      }
      // Also counts the accounts with an open order: their order is stored by now, so the next batch leaves them out.
      return ids.length
    }),
  )
}

/**
 * Locks the applications of the accounts, as a payment or a booking does. A payment that was running when the accounts
 * were read is stored before this lock, or finds no application after it. Returns the accounts without an open order:
 * only a new statement sees an order that was stored before the lock.
 */
async function lockErasable(trx: Transaction<Schema>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  await sql`select id from application where applicant_id = any (${ids}::uuid[]) order by id for update`.execute(
    trx,
  )
  const { rows } = await sql<{ id: string }>`
    select id from applicant where id = any (${ids}::uuid[]) and ${hasNoOpenOrder}`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * The contacts of the accounts now and in their stored changes, except those that belong to another account now. While
 * `DATA_KEY` changes, a contact is stored under several keys (D71), so the last step compares the decrypted contacts. The
 * second statement names both kinds, because the primary key begins with the kind: without them, PostgreSQL 17 and older would
 * read all contacts.
 */
async function listContactsToErase(trx: Transaction<Schema>, ids: readonly string[]): Promise<string[]> {
  const own = sql`applicant_id = any (${ids}::uuid[])`
  const { rows: known } = await sql<{ value: string }>`
    select value from contact where ${own}
    union
    select coalesce(value_before, value_after) from contact_change where ${own}`.execute(trx)
  const values = known.map(({ value }) => value)
  const { rows: foreign } = await sql<{ value: string }>`
    select value from contact
    where kind in ('phone', 'email') and value = any (${storedContacts(...values)}) and not ${own}`.execute(
    trx,
  )
  const taken = new Set(foreign.map(({ value }) => value))
  return values.filter(value => !taken.has(value))
}

/** Deletes the rows that no foreign key of the account reaches, then the accounts; the database deletes their other rows. */
function deletions(ids: readonly string[], contacts: readonly string[]): RawBuilder<unknown>[] {
  const own = sql`applicant_id = any (${ids}::uuid[])`
  const scopes = ids.flatMap(id => Object.keys(endpoints).map(name => `${id} ${name}`))
  return [
    sql`delete from outbox where ${own}`,
    // Codes have no applicant_id. Messages of another account to the same contact stay.
    sql`delete from outbox where applicant_id is null
      and lower(recipient) = any (${storedContactsLower(...contacts)})`,
    sql`delete from challenge where kind in ('phone', 'email') and value = any (${storedContacts(...contacts)})`,
    sql`delete from idempotency where scope = any (${scopes}::text[])`,
    sql`delete from applicant where id = any (${ids}::uuid[])`,
  ]
}

/**
 * Replaces the contacts in the whitelist by keyed hashes. The entries stay, so a payment of the old system counts once, also
 * after a new sign-in or a new load of the same file.
 */
async function hideWhitelisted(
  trx: Transaction<Schema>,
  ids: readonly string[],
  key: Uint8Array,
): Promise<void> {
  const own = await trx.selectFrom('contact').select('value').where('applicant_id', 'in', ids).execute()
  const contacts = own.map(({ value }) => value.toLowerCase())
  const { rows } = await sql<{ kind: string; value: string }>`
    select kind, value from whitelist
    where entry in (select entry from whitelist where lower(value) = any (${storedContactsLower(...contacts)}))
    order by kind, value for update`.execute(trx)
  // The other contact of an entry may be hidden since the deletion of another account: its hash must stay.
  for (const each of rows.filter(({ value }) => !isHiddenContact(value)))
    await sql`
      update whitelist set value = ${hiddenContact(key, each)}
      where kind = ${each.kind} and ${columnIsContact('value', each.value)}`.execute(trx)
}
