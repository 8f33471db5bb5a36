import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Lane } from './lanes.ts'
import { retrySeconds } from './outbox.ts'

/**
 * Longer than the timeouts of the gateways. After a crash the message waits until the claim and `next_at` have passed.
 */
const claimSeconds = 60

export type ClaimedMessage = {
  id: number
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  /** As it is stored: `openMessage` opens it. */
  message: Record<string, unknown>
  attempts: number
  priority: number
  /** The time until which the message was to be sent has passed. */
  is_late: boolean
}

/**
 * Claims due messages, for each lane at most its capacity. The claim also schedules the next try: after 15 s, 30 s, 1
 * min, … and at most an hour. The statement begins with a comment, so that each call plans it: a plan from when the
 * table was small would scan the whole table. `materialized`, because a lock must not be taken twice. While the jobs
 * are held after a restore, only codes are claimed: an applicant has just asked for them (D107).
 */
export async function claimDue(db: Kysely<Schema>, lanes: readonly Lane[]): Promise<ClaimedMessage[]> {
  if (lanes.length === 0) return []
  const claimed = await sql<ClaimedMessage>`/* planned at each call */
    with due as materialized (
      select waiting.id
      from unnest(
          ${lanes.map(({ channel }) => channel)}::text[],
          ${lanes.map(({ priority }) => priority)}::smallint[],
          ${lanes.map(({ capacity }) => capacity)}::integer[]) as lane (channel, priority, capacity)
        cross join lateral (
          select id from outbox
          where outbox.channel = lane.channel and outbox.priority = lane.priority
            and sent_at is null and failed_at is null and next_at <= now()
            and (claimed_until is null or claimed_until <= now())
            and (lane.priority = 0 or not exists (select from job_hold))
          order by next_at
          limit lane.capacity
          for update skip locked) as waiting)
    update outbox set
      attempts = attempts + 1,
      claimed_until = now() + make_interval(secs => ${claimSeconds}),
      next_at = now() + least(interval '15 seconds' * power(2, least(attempts, 8)), interval '1 hour')
    from due where outbox.id = due.id
    returning outbox.id, key, channel, kind, recipient, message, attempts, priority,
      ${giveUpAt} <= now() as is_late`.execute(db)
  return claimed.rows.toSorted((one, other) => one.priority - other.priority || one.id - other.id)
}

/** Claims the message for as long again, just before it is sent. False when another process has claimed it since. */
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

/** An older release stores no `give_up_at`. */
const giveUpAt = sql<Date>`coalesce(give_up_at,
  created_at + make_interval(secs => coalesce((message->>'uselessAfterSeconds')::double precision, ${sql.lit(retrySeconds)})))`
