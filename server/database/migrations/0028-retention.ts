import { type Migration, sql } from 'kysely'

/**
 * For the rows that expire since D113: the last sign-in of an account, and indexes that find old rows. Accounts that
 * exist when this migration runs count as used at that moment.
 */
const statements = [
  `alter table applicant add column signed_in_at timestamptz not null default now()`,
  `create index applicant_by_sign_in on applicant (signed_in_at)`,
  `create index payment_with_phone on payment (created_at) where phone <> ''`,
  `create index card_page_by_time on card_page (expires_at)`,
  `create index application_closed_since on application (updated_at)
    where state in ('READY_FOR_CM', 'SENT_TO_CM', 'FAILED', 'DELETED')`,
]

export const retention: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
