import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { securityEventDays } from '#server/features/session/security-events.ts'
import { knownBrowserDays } from '#server/features/session/send-limits.ts'

/**
 * Deletes rows that no rule reads any more. It may run at any time, because each row expires by its own date. Each
 * statement begins with a comment, so that each call plans it: a plan from when the table was small would scan all of it.
 */
export async function deleteExpiredRows(db: Kysely<Schema>): Promise<void> {
  for (const statement of stale) await sql.raw(`/* planned at each call */ ${statement}`).execute(db)
}

const stale = [
  `delete from one_time_code where sent_at < now() - interval '1 day'`,
  `delete from challenge where proven_at is null and created_at < now() - interval '1 day'
    and not exists (select 1 from one_time_code where challenge_id = challenge.id)`,
  `delete from challenge where proven_at < now() - interval '${knownBrowserDays} days'
    and not exists (select 1 from one_time_code where challenge_id = challenge.id)`,
  `delete from usage_count where window_start < now() - interval '2 days'`,
  `delete from security_event where at < now() - interval '${securityEventDays} days'`,
  `delete from used_captcha where expires_at < now() - interval '1 hour'`,
  `delete from receipt_ticket where expires_at < now() - interval '1 hour'`,
  `delete from refresh_token where expires_at < now() - interval '1 day'`,
  `delete from session where created_at < now() - interval '30 days'`,
  // An undo is possible for 72 hours (D70); the applicant's data show the change for longer.
  `delete from contact_change where changed_at < now() - interval '30 days'`,
  `delete from idempotency where created_at < now() - interval '7 days'`,
  // A message is stored before it is sent, so the index on `created_at` finds it.
  `delete from outbox where created_at < now() - interval '90 days'
    and coalesce(sent_at, failed_at) < now() - interval '90 days'`,
] as const
