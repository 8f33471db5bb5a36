import { type Migration, sql } from 'kysely'

/** Tickets with which an HTML form gets a receipt: each is used once, within a minute. An older release has no use for them. */
const statements = [
  `create table receipt_ticket (
    hash text primary key,
    session_id uuid not null references session on delete cascade,
    application_id uuid not null references application on delete cascade,
    expires_at timestamptz not null)`,
]

export const receiptTickets: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
