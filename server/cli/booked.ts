import { type Kysely, sql } from 'kysely'
import { statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { slotsOf } from '#server/features/offices/calendar.ts'
import { readCalendar } from '#server/features/offices/find-office.ts'
import { isBooked } from '#server/features/offices/taken-places.ts'
import { pluralise } from './command.ts'

/**
 * Returns the number of bookings and reservations of a day that `close-day` would end, and of those that it would leave
 * because they have begun.
 */
export async function countBookingsOn(db: Kysely<Schema>, officeId: number, day: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count
    from slot
      join place on place.slot_id = slot.id
      join appointment on appointment.id = place.appointment_id
      join application on application.id = appointment.application_id
    where slot.office_id = ${officeId}
      and slot.starts_at >= ${day}::date and slot.starts_at < ${day}::date + 1
      and ((appointment.state = 'HELD' and appointment.held_until > now())
        or (appointment.state = 'CONFIRMED' and application.state = any (${statesBefore('day-closed')})))`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** A line for each office with bookings outside its new hours: they are kept, and the office must know of them. */
export async function listOutsideHours(
  db: Kysely<Schema>,
  officeIds: readonly number[],
  now: Date,
): Promise<string[]> {
  const lines: string[] = []
  for (const officeId of officeIds) {
    const calendar = await readCalendar(db, officeId)
    if (calendar === undefined) continue
    const booked = await listBookedTimes(db, { officeId, timeZone: calendar.timeZone, now })
    const outside = booked.filter(startsAt => {
      const [day = '', time = ''] = startsAt.split('T')
      return !slotsOf(calendar, day).some(slot => slot.time === time)
    })
    if (outside.length > 0) {
      const are = outside.length === 1 ? 'is' : 'are'
      lines.push(
        `Office ${officeId}: ${pluralise(outside.length, 'booking')} ${are} outside its new hours and ${are} kept, the first on ${outside[0]}.`,
      )
    }
  }
  return lines
}

/** Returns the start of each booking that is still to come, on the clock of the office. Leaves reservations out. */
async function listBookedTimes(
  db: Kysely<Schema>,
  { officeId, timeZone, now }: { officeId: number; timeZone: string; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ starts_at: string }>`
    select slot.starts_at from slot join place on place.slot_id = slot.id
    where slot.office_id = ${officeId} and slot.starts_at > ${now.toISOString()}::timestamptz at time zone ${timeZone}
      and ${isBooked}
    order by slot.starts_at`.execute(db)
  return rows.map(row => row.starts_at)
}
