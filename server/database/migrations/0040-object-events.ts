import { type Migration, sql } from 'kysely'

/**
 * An account has at most one event a day (UTC) of calls about objects of others, also when several processes record it at
 * once (D126).
 */
export const objectEvents: Migration = {
  async up(db) {
    await sql`
      create unique index security_event_of_objects_once_a_day
      on security_event (subject, ((at at time zone 'UTC')::date))
      where kind = 'object-refused'`.execute(db)
  },
}
