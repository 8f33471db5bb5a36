import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { bookableDays, bookableSlots, bookingWindow, type Slot } from './calendar.ts'
import type { FoundOffice } from './find-office.ts'

/** Who asks: the places that this applicant's own reservations hold are free to be asked for again. */
export type Asking = { applicantId: string; now: Date }

/** The days on which the office has a free place. */
export async function listFreeDays(
  db: Kysely<Schema>,
  { id, calendar }: FoundOffice,
  { applicantId, now }: Asking,
): Promise<string[]> {
  const window = bookingWindow(calendar, now)
  const until = `${window.lastDay}T23:59:59`
  const taken = await countTaken(db, { officeId: id, from: window.from, until, applicantId })
  return bookableDays(calendar, window).filter(day =>
    bookableSlots(calendar, day, window).some(slot => hasRoom(slot, taken.get(`${day}T${slot.time}`))),
  )
}

/** The slots of a day with a free place. */
export async function listFreeSlots(
  db: Kysely<Schema>,
  { id, calendar }: FoundOffice,
  { day, applicantId, now }: Asking & { day: string },
): Promise<string[]> {
  const slots = bookableSlots(calendar, day, bookingWindow(calendar, now))
  if (slots.length === 0) return []
  const range = { from: `${day}T00:00:00`, until: `${day}T23:59:59` }
  const taken = await countTaken(db, { officeId: id, ...range, applicantId })
  return slots.filter(slot => hasRoom(slot, taken.get(`${day}T${slot.time}`))).map(({ time }) => time)
}

function hasRoom({ capacity }: Slot, seats: readonly number[] = []): boolean {
  // An office that lowered its capacity may have holders beyond it, who take nothing from the others.
  return seats.filter(seat => seat <= capacity).length < capacity
}

type Range = { officeId: number; from: string; until: string; applicantId: string }

/** The taken seats of each slot; a reservation that ran out takes none. */
async function countTaken(
  db: Kysely<Schema>,
  { officeId, from, until, applicantId }: Range,
): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ starts_at: string; seats: number[] }>`
    select slot.starts_at, array_agg(place.seat) as seats
    from slot join place on place.slot_id = slot.id
    where slot.office_id = ${officeId}
      and slot.starts_at between ${from}::timestamp and ${until}::timestamp
      and place.appointment_id is not null
      and (place.held_until is null or place.held_until > now())
      and place.appointment_id <> all (array(
        select appointment.id
        from appointment join application on application.id = appointment.application_id
        where application.applicant_id = ${applicantId} and appointment.state = 'HELD'))
    group by slot.starts_at`.execute(db)
  return new Map(rows.map(row => [row.starts_at, row.seats]))
}
