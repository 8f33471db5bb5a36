import { type Migration, sql } from 'kysely'

/**
 * An account or a contact has at most one event of a reached limit a day (UTC), also when several processes record it at
 * once (D126).
 */
export const dailyEvents: Migration = {
  async up(db) {
    await sql`
      create unique index security_event_once_a_day
      on security_event (subject, kind, ((at at time zone 'UTC')::date))
      where kind = 'limit-reached'`.execute(db)
  },
}
