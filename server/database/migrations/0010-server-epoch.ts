import { type Migration, sql } from 'kysely'

/**
 * One row, which the server stores at its first start: a random word. The command `after-restore` replaces the word, so that
 * phones see that the database was restored (D62).
 */
export const serverEpoch: Migration = {
  async up(db) {
    // The key can only be true, so the table has at most one row.
    await sql`create table server_epoch (
      id boolean primary key default true check (id),
      epoch text not null)`.execute(db)
  },
}
