import { type Migration, sql } from 'kysely'

/**
 * A challenge is one contact in one browser. `next_try_at`: when this browser may try the next code for this contact
 * (D125). Null: at once.
 */
export const waitsAfterWrongCodes: Migration = {
  async up(db) {
    await sql`alter table challenge add column next_try_at timestamptz`.execute(db)
  },
}
