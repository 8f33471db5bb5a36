import { type Migration, sql } from 'kysely'

/**
 * Adds columns for the lanes of the outbox; the table `job`, from which one process claims each run of a job; and the
 * indexes that the jobs need when the tables are large.
 */
const statements = [
  // `priority`: 0 a code, 1 a notice, 2 a bulk message; an older release stores 1. `give_up_at`: after it a failed try is the
  // last one; null when an older release stored the message.
  `alter table outbox
    add column priority smallint not null default 1,
    add column give_up_at timestamptz,
    add column last_failure text`,
  `create index outbox_to_send on outbox (channel, priority, next_at)
    where sent_at is null and failed_at is null`,
  `drop index outbox_due`,
  `create index outbox_failed on outbox (failed_at) where failed_at is not null and recipient <> ''`,

  // Which reminder was stored last, in days before the appointment.
  `alter table appointment add column reminded_days smallint`,

  `create table job (
    name text primary key,
    due_at timestamptz not null)`,

  // For the deletion of expired rows; `session_of_applicant` is for the sessions of one account.
  `create index challenge_unproven on challenge (created_at) where proven_at is null`,
  `create index challenge_proven on challenge (proven_at) where proven_at is not null`,
  `create index usage_count_by_time on usage_count (window_start)`,
  `create index used_captcha_by_time on used_captcha (expires_at)`,
  `create index refresh_token_by_time on refresh_token (expires_at)`,
  `create index session_by_time on session (created_at)`,
  `create index session_of_applicant on session (applicant_id)`,
  `create index idempotency_by_time on idempotency (created_at)`,

  `create index payment_due_back on payment (settled_at) where refund_due and refunded_at is null`,
]

export const lanesAndJobs: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
