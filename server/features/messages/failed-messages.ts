import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { giveUpSeconds } from './outbox.ts'

/** How many messages of one channel and kind wait to be sent, and since when the oldest one waits. */
export type WaitingMessages = { channel: string; kind: string; count: number; oldest: Date }

/** Codes come first. Counts also the messages whose next try is later. */
export async function countWaiting(db: Kysely<Schema>): Promise<WaitingMessages[]> {
  const { rows } = await sql<WaitingMessages>`
    select channel, kind, count(*)::integer as count, min(created_at) as oldest
    from outbox where sent_at is null and failed_at is null
    group by channel, kind order by min(priority), channel, kind`.execute(db)
  return rows
}

export type FailedMessage = {
  id: number
  kind: string
  recipient: string
  created_at: Date
  attempts: number
  reason: string
  /** Whether it can be sent again: its text is stored and may still be true. The text of a code is deleted. */
  can_resend: boolean
}

/** Returns the newest failed messages and the number of all failed ones. A message without a recipient was never to be sent. */
export async function listFailed(
  db: Kysely<Schema>,
  limit: number,
): Promise<{ newest: FailedMessage[]; count: number }> {
  const { rows: newest } = await sql<FailedMessage>`
    select id, kind, recipient, created_at, attempts, coalesce(last_failure, '-') as reason, ${canResend} as can_resend
    from outbox where failed_at is not null and recipient <> ''
    order by failed_at desc, id desc limit ${sql.lit(limit)}`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from outbox where failed_at is not null and recipient <> ''`.execute(db)
  return { newest, count: rows[0]?.count ?? 0 }
}

/**
 * Makes failed messages due again, as if they had just been stored; only the time after which a text is no longer true
 * stays. Returns the ids of those that can be sent.
 */
export async function resend(db: Kysely<Schema>, which: readonly number[] | 'all'): Promise<number[]> {
  const chosen = which === 'all' ? sql`true` : sql`id = any (${which}::bigint[])`
  const { rows } = await sql<{ id: number }>`
    update outbox set failed_at = null, claimed_until = null, attempts = 0, next_at = now(),
      give_up_at = least(now() + make_interval(secs => ${giveUpSeconds}), ${uselessAt})
    where failed_at is not null and recipient <> '' and ${canResend} and ${chosen}
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Null for a text that stays true. */
const uselessAt = sql<Date | null>`(
  created_at + make_interval(secs => (message->>'uselessAfterSeconds')::double precision))`

/** A text is stored as it is or encrypted. */
const canResend = sql<boolean>`((message ? 'text' or message ? 'sealed') and coalesce(${uselessAt} > now(), true))`
