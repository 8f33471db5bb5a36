import { type Migration, sql } from 'kysely'

/**
 * A keyed hash of the wide network that requested the code (D90); '' when it is unknown. The row is deleted after a day.
 */
export const networksOfCodes: Migration = {
  async up(db) {
    await sql`alter table one_time_code add column network text not null default ''`.execute(db)
  },
}
