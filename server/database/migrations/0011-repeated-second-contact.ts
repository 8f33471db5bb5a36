import { type Migration, sql } from 'kysely'

/**
 * Lets a session repeat the call that adds a second contact, when the answer of that call was lost. An older release
 * ignores the column (D73).
 */
export const repeatedSecondContact: Migration = {
  async up(db) {
    // `joined_session`: id of the session that added or proved the contact with this code.
    await sql`alter table one_time_code add column joined_session uuid`.execute(db)
  },
}
