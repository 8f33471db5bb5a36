import { type Migration, sql } from 'kysely'

/** One row: a random word that `office after-restore` replaces, so that phones learn of a restore (D62). */
export const serverEpoch: Migration = {
  async up(db) {
    await sql`create table server_epoch (
      id boolean primary key default true check (id),
      epoch text not null)`.execute(db)
  },
}
