import { type Migration, sql } from 'kysely'

/** When the browser of a challenge may try its next code (D125). Null: at once. */
export const waitsAfterWrongCodes: Migration = {
  async up(db) {
    await sql`alter table challenge add column next_try_at timestamptz`.execute(db)
  },
}
