import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { bookableDays, bookableSlots, bookingWindow } from './calendar.ts'
import type { FoundOffice } from './find-office.ts'
import { isBooked, isTaken, isToCome, placesIn, type SlotRange } from './taken-places.ts'

export type FreeDay = { day: string; places: number }

/**
 * Returns the days with free places in order, each with the number of places that any applicant can reserve. Only the job
 * that notifies applicants of a free day needs it (F10). A place that an applicant gave up, or did not confirm in time, counts
 * as taken until its `free_from`: until then only this applicant can reserve it again, so `free-slots.ts`, for the booking
 * screen, counts it as free for this applicant.
 */
export function countFreePlaces(db: Kysely<Schema>, office: FoundOffice, now: Date): Promise<FreeDay[]> {
  return countPlacesWithout(sql`(${isTaken} or ${isToCome('free_from')})`, { db, office, now })
}

/**
 * As `countFreePlaces`, but counts each place that is not booked, also one that is reserved or waits for its `free_from`: any
 * applicant may be able to reserve it soon.
 */
export function countPlacesNotBooked(db: Kysely<Schema>, office: FoundOffice, now: Date): Promise<FreeDay[]> {
  return countPlacesWithout(isBooked, { db, office, now })
}

/** `excluded`: an SQL condition for the places that do not count. */
async function countPlacesWithout(
  excluded: RawBuilder<unknown>,
  { db, office: { id, calendar }, now }: { db: Kysely<Schema>; office: FoundOffice; now: Date },
): Promise<FreeDay[]> {
  const window = bookingWindow(calendar, now)
  const range = { officeId: id, from: window.from, until: `${window.lastDay}T23:59:59` }
  const excludedBySlot = await countBySlot(db, range, excluded)
  return bookableDays(calendar, window)
    .map(day => ({
      day,
      places: bookableSlots(calendar, day, window)
        .map(({ time, capacity }) => capacity - (excludedBySlot.get(`${day}T${time}`) ?? 0))
        .reduce((sum, free) => sum + Math.max(free, 0), 0),
    }))
    .filter(({ places }) => places > 0)
}

/** Returns the number of places that fulfil the SQL condition for each start time, `2026-12-01T09:30:00`. */
async function countBySlot(
  db: Kysely<Schema>,
  range: SlotRange,
  condition: RawBuilder<unknown>,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ starts_at: string; count: number }>`
    select slot.starts_at, count(*) as count
    ${placesIn(range)} and ${condition}
    group by slot.id`.execute(db)
  return new Map(rows.map(row => [row.starts_at, row.count]))
}
