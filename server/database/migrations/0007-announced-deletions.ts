import { type Migration, sql } from 'kysely'

/**
 * What an applicant was told of a deletion: its day, why, and the last of the warnings. And a claim on a message, so
 * that a gateway slower than the first repeat is not given it by a second process meanwhile.
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
