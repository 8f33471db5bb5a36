import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Lane } from './lanes.ts'
import { giveUpSeconds } from './outbox.ts'

/**
 * How long a claim lasts: longer than two mail servers (`mailTimeoutMs`) or two gateways of SMS can take for one message.
 * After a crash, another process claims the message when the claim has ended and `next_at` has passed.
 */
export const claimSeconds = 60

/**
 * When a next try, or the end of a claim, is farther away than this, a clock was ahead for a time (D95): the time
 * counts as past. Usually the next try is at most an hour away.
 */
const tooLong = sql`interval '2 hours'`

export type ClaimedMessage = {
  id: number
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  /** The account that the message is about; null for a code, and when an older release stored the message. */
  applicant_id: string | null
  /** As stored, so encrypted once the encryption has started: `decryptMessage` decrypts it. */
  message: Record<string, unknown>
  attempts: number
  priority: number
  /** Its time `give_up_at` has passed. */
  is_late: boolean
}

/**
 * Claims due messages, for each lane at most its capacity, and as many again that are due only by `tooLong`. The claim
 * also schedules the next try: after 15 s, 30 s, 1 min, … and at most an hour. Because the statement begins with a
 * comment, PostgreSQL plans it at each call (preparing-client.ts): a plan that it made for a small table would scan the
 * whole table. `materialized` makes `due` run and lock its rows only once. While `job_hold` has its row after a
 * restore, only codes are claimed, because an applicant has just asked for them (D107).
 */
export async function claimDue(db: Kysely<Schema>, lanes: readonly Lane[]): Promise<ClaimedMessage[]> {
  if (lanes.length === 0) return []
  const claimed = await sql<ClaimedMessage>`/* not prepared (D95) */
    with due as materialized (
      select waiting.id
      from unnest(
          ${lanes.map(({ channel }) => channel)}::text[],
          ${lanes.map(({ priority }) => priority)}::smallint[],
          ${lanes.map(({ capacity }) => capacity)}::integer[]) as lane (channel, priority, capacity)
        cross join (values ('-infinity'::timestamptz, now()), (now() + ${tooLong}, 'infinity')) as span (after, until)
        cross join lateral (
          select id from outbox
          where outbox.channel = lane.channel and outbox.priority = lane.priority
            and sent_at is null and failed_at is null and next_at > span.after and next_at <= span.until
            and (claimed_until is null or claimed_until <= now() or claimed_until > now() + ${tooLong})
            and (lane.priority = 0 or not exists (select from job_hold))
          order by next_at
          limit lane.capacity
          for update skip locked) as waiting)
    update outbox set
      attempts = attempts + 1,
      claimed_until = now() + make_interval(secs => ${claimSeconds}),
      next_at = now() + least(interval '15 seconds' * power(2, least(attempts, 8)), interval '1 hour')
    from due where outbox.id = due.id
    returning outbox.id, key, channel, kind, recipient, applicant_id, message, attempts, priority,
      ${giveUpAt} <= now() as is_late`.execute(db)
  return claimed.rows.toSorted((one, other) => one.priority - other.priority || one.id - other.id)
}

/**
 * Extends the claim just before the message is sent. Returns false when the message was claimed again, sent or given up
 * since this claim.
 */
export async function renewClaim(db: Kysely<Schema>, { id, attempts }: ClaimedMessage): Promise<boolean> {
  const renewed = await db
    .updateTable('outbox')
    .set({ claimed_until: sql<Date>`now() + make_interval(secs => ${claimSeconds})` })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** A row of an older release has no `give_up_at`. */
const giveUpAt = sql<Date>`coalesce(give_up_at,
  created_at + make_interval(secs => coalesce((message->>'uselessAfterSeconds')::double precision, ${sql.lit(giveUpSeconds)})))`
