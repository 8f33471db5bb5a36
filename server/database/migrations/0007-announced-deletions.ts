import { type Migration, sql } from 'kysely'

/**
 * Adds the day and the cause of the deletion that was announced to the applicant. `deletion_warned` is the last warning
 * that was put into the outbox, as the number of days before the deletion.
 *
 * Gives each message of the outbox the time until which one process claims it, so that no other process sends it while
 * a slow gateway has not answered yet. Adds two indexes.
 */
const statements = [
  `alter table application
    add column deletion_day date,
    add column deletion_cause text check (deletion_cause in ('unpaid', 'never-enrolled')),
    add column deletion_warned smallint,
    add check ((deletion_day is null) = (deletion_cause is null)),
    add check ((deletion_day is null) = (deletion_warned is null))`,
  `create index application_open_since on application (created_at)
    where state not in ('READY_FOR_CM', 'SENT_TO_CM', 'FAILED', 'DELETED')`,
  `create index booked_times on appointment (starts_at) where state = 'CONFIRMED'`,
  `alter table outbox add column claimed_until timestamptz`,
]

export const announcedDeletions: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
