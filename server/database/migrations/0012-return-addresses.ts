import { type Migration, sql } from 'kysely'

/**
 * A random id for the address to which a card gateway sends the payer's browser back. The browser's history keeps that
 * address, which must not have the id of the payment (D31).
 */
const statements = [
  `alter table payment add column return_id uuid not null default gen_random_uuid()`,
  `create unique index payment_of_return on payment (return_id)`,
]

export const returnAddresses: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
