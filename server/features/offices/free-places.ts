import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { bookableDays, bookableSlots, bookingWindow } from './calendar.ts'
import type { FoundOffice } from './find-office.ts'
import { isBooked, isTaken, isToCome, placesIn, type SlotRange } from './taken-places.ts'

export type FreeDay = { day: string; places: number }

/** `notBooked` also counts the places that are reserved or wait for their `free_from`, which may be free soon. */
type OfficePlaces = { free: FreeDay[]; notBooked: FreeDay[] }

/**
 * Returns the days with free places in order, each with the number of places that every applicant can reserve, and the
 * days with places that are not booked. Only the job that notifies applicants of a free day needs it (F10). A place
 * that an applicant gave up, or did not confirm in time, is not free until its `free_from`: until then only this
 * applicant can reserve it again, so `free-slots.ts`, for the booking screen, counts it as free for this applicant. One
 * statement counts both, so that each free place is also one that is not booked.
 */
export async function countPlaces(
  db: Kysely<Schema>,
  { id, calendar }: FoundOffice,
  now: Date,
): Promise<OfficePlaces> {
  const window = bookingWindow(calendar, now)
  const range = { officeId: id, from: window.from, until: `${window.lastDay}T23:59:59` }
  const usedBySlot = await countUsedBySlot(db, range)
  const days = bookableDays(calendar, window).map(day => ({
    day,
    slots: bookableSlots(calendar, day, window),
  }))
  const countDays = (used: keyof UsedPlaces) =>
    days
      .map(({ day, slots }) => ({
        day,
        places: slots
          .map(({ time, capacity }) => capacity - (usedBySlot.get(`${day}T${time}`)?.[used] ?? 0))
          .reduce((sum, places) => sum + Math.max(places, 0), 0),
      }))
      .filter(({ places }) => places > 0)
  return { free: countDays('notFree'), notBooked: countDays('booked') }
}

type UsedPlaces = { notFree: number; booked: number }

/** Returns the number of places that are not free, and of those that are booked, by start time, `2026-12-01T09:30:00`. */
async function countUsedBySlot(db: Kysely<Schema>, range: SlotRange): Promise<Map<string, UsedPlaces>> {
  const { rows } = await sql<{ starts_at: string; not_free: number; booked: number }>`
    select slot.starts_at, count(*) as not_free, count(*) filter (where ${isBooked}) as booked
    ${placesIn(range)} and (${isTaken} or ${isToCome('free_from')})
    group by slot.id`.execute(db)
  return new Map(rows.map(row => [row.starts_at, { notFree: row.not_free, booked: row.booked }]))
}
