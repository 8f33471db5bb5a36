import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SecurityEventKind } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import { storedContactsLower } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { subjectOf } from '#server/features/session/security-events.ts'
import { listContacts } from './contact-rows.ts'

/**
 * How many phone numbers an account may remove within 24 hours, and how often it may announce its deletion; the two count
 * apart. Without this limit an account could get as many SMS as it likes: no budget holds back the messages about a removal,
 * an announcement or an undo (D109), and the code for a removal or an announcement may come by e-mail, which costs nothing.
 * The removal of an e-mail address needs a code by SMS and does not count, so the owner can always remove a stolen address. A
 * thief of the number can undo five removals; then the owner cannot remove it until the first of them is 24 hours old (D69).
 */
const maxChangesPerDay = 5
const announced: SecurityEventKind = 'deletion-announced'

/**
 * An account may announce its deletion only while its number has had fewer than this many SMS about the safety of an account
 * (`notify` in contact-change.ts) within 24 hours, whichever accounts caused them: the number of an account without
 * applications can move from account to account, and each account has a limit of its own.
 */
const maxSmsPerDay = 20

/** Returns the seconds until the account may announce its deletion again; 0: now. The account must be locked. */
export async function secondsToNextAnnouncement(
  trx: Kysely<Schema>,
  services: Pick<Services, 'secrets'>,
  applicantId: string,
): Promise<number> {
  const subject = subjectOf(services, { applicantId })
  const announcements = sql`select at from security_event where subject = ${subject} and kind = ${announced}`
  const phones = (await listContacts(trx, applicantId)).filter(({ kind }) => kind === 'phone')
  const messages = sql`
    select created_at from outbox
    where lower(recipient) = any (${storedContactsLower(...phones.map(({ value }) => value))})
      and channel = 'sms' and kind = 'security' and failed_at is null`
  return Math.max(
    await secondsToNext(trx, announcements, maxChangesPerDay),
    await secondsToNext(trx, messages, maxSmsPerDay),
  )
}

/** Returns the seconds until the account may remove a phone number again; 0: now. The account must be locked. */
export function secondsToNextRemoval(trx: Kysely<Schema>, applicantId: string): Promise<number> {
  const removals = sql`
    select changed_at from contact_change
    where applicant_id = ${applicantId} and kind = 'phone' and value_after is null`
  return secondsToNext(trx, removals, maxChangesPerDay)
}

/** Returns the seconds until fewer than `max` of `times`, a query of one column, are within 24 hours; 0: now. */
async function secondsToNext(trx: Kysely<Schema>, times: RawBuilder<unknown>, max: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from at + interval '1 day' - now()))::integer as seconds
    from (${times}) as past (at)
    where at > now() - interval '1 day'
    order by at desc limit 1 offset ${max - 1}::integer`.execute(trx)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
