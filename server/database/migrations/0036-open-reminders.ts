import { type Migration, sql } from 'kysely'

/**
 * The booked appointments to which a reminder may still be due. The job of the reminders would otherwise read all
 * appointments of the next days at each run.
 */
export const openReminders: Migration = {
  async up(db) {
    await sql`
      create index open_reminders on appointment (reminded_days, starts_at)
      where state = 'CONFIRMED' and reminded_days is distinct from 1`.execute(db)
  },
}
