import { type Migration, sql } from 'kysely'

/**
 * For the deletion of accounts (D112). Stores the time of the deletion, the applicant of a message in the outbox, and
 * what accounting keeps of an order. An older release ignores all this (D73), and so deletes no account.
 */
const statements = [
  `alter table applicant add column deletion_at timestamptz`,
  `create index applicant_to_delete on applicant (deletion_at) where deletion_at is not null`,

  // Null for a code, and when an older release stored the message.
  `alter table outbox add column applicant_id uuid`,
  `create index outbox_of_applicant on outbox (applicant_id) where applicant_id is not null`,

  // The order of an erased application. It names neither the application nor the applicant. The last four columns are
  // filled only while a payment must be refunded, to find it.
  `create table past_order (
    order_id text primary key,
    method text not null,
    status text not null,
    amount integer not null,
    currency text not null,
    created_at timestamptz not null,
    settled_at timestamptz,
    refund_due boolean not null,
    refunded_at timestamptz,
    provider_reference text,
    operator_reference text,
    channel text,
    phone text)`,
  `create index past_order_by_time on past_order (created_at)`,
  `create index past_order_due_back on past_order (settled_at) where refund_due and refunded_at is null`,

  // When a row is deleted, PostgreSQL looks for the rows that refer to it: these indexes find them.
  `create index watch_of_application on watch (application_id)`,
  `create index appointment_that_replaces on appointment (replaces) where replaces is not null`,
]

export const accountDeletion: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
