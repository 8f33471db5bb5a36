import { type Migration, sql } from 'kysely'

/**
 * An index of the booked appointments that may still get a reminder: all but those that have had the last reminder, that of the
 * day before the appointment. Without this index the job of the reminders would read all appointments of the
 * next days at each run.
 */
export const openReminders: Migration = {
  async up(db) {
    await sql`
      create index open_reminders on appointment (reminded_days, starts_at)
      where state = 'CONFIRMED' and reminded_days is distinct from 1`.execute(db)
  },
}
