import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SecurityEventKind } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import { subjectOf } from '#server/features/session/security-events.ts'

/**
 * How many phone numbers an account may remove within 24 hours, and how often it may announce its deletion. No budget holds
 * back the messages about these, nor those about their undo (D109), and the code before may come by e-mail, which costs
 * nothing: without this limit an account could get as many SMS as it likes. The two count apart, and the removal of an e-mail
 * address, which needs a code by SMS, does not count: a thief of one contact cannot keep the owner from removing it (D69).
 */
const maxChangesPerDay = 5
const announced: SecurityEventKind = 'deletion-announced'

/**
 * Returns the seconds until the account may announce its deletion again; 0: now. The caller has locked the account, as for
 * `secondsToNextRemoval`.
 */
export function secondsToNextAnnouncement(
  trx: Kysely<Schema>,
  services: Pick<Services, 'secrets'>,
  applicantId: string,
): Promise<number> {
  const subject = subjectOf(services, { applicantId })
  return secondsToNext(
    trx,
    sql`select at from security_event where subject = ${subject} and kind = ${announced}`,
  )
}

/** Returns the seconds until the account may remove a phone number again; 0: now. */
export function secondsToNextRemoval(trx: Kysely<Schema>, applicantId: string): Promise<number> {
  return secondsToNext(
    trx,
    sql`select changed_at from contact_change
      where applicant_id = ${applicantId} and kind = 'phone' and value_after is null`,
  )
}

/** `changes`: a query of the times of all changes of one kind. */
async function secondsToNext(trx: Kysely<Schema>, changes: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from at + interval '1 day' - now()))::integer as seconds
    from (${changes}) as change (at)
    where at > now() - interval '1 day'
    order by at desc limit 1 offset ${maxChangesPerDay - 1}::integer`.execute(trx)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
