import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { knownBrowserDays } from '#server/features/session/send-limits.ts'

/**
 * Deletes rows that no rule reads any more. It may run at any time, because each row expires by its own date.
 */
export async function deleteExpiredRows(db: Kysely<Schema>): Promise<void> {
  for (const statement of stale) await sql.raw(statement).execute(db)
}

const stale = [
  `delete from one_time_code where sent_at < now() - interval '1 day'`,
  `delete from challenge where created_at < now() - interval '1 day'
    and (proven_at is null or proven_at < now() - interval '${knownBrowserDays} days')
    and not exists (select 1 from one_time_code where challenge_id = challenge.id)`,
  `delete from usage_count where window_start < now() - interval '2 days'`,
  `delete from used_captcha where expires_at < now() - interval '1 hour'`,
  `delete from refresh_token where expires_at < now() - interval '1 day'`,
  `delete from session where created_at < now() - interval '30 days'`,
  `delete from idempotency where created_at < now() - interval '7 days'`,
  `delete from outbox where coalesce(sent_at, failed_at) < now() - interval '90 days'`,
] as const
