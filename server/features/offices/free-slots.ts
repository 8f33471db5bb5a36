import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { bookableDays, bookableSlots, bookingWindow } from './calendar.ts'
import type { FoundOffice } from './find-office.ts'
import { isTaken, isToCome, placesIn, type SlotRange } from './taken-places.ts'

/**
 * `applicationId`: the place that this application holds counts as free. Unset: the places that any application of the
 * applicant holds count as free.
 */
export type FreeSlotQuery = { applicantId: string; applicationId?: string | undefined; now: Date }

type SlotViewer = Omit<FreeSlotQuery, 'now'>

/** Returns the days, `YYYY-MM-DD`, the earliest first, on which the office has a free place for the applicant. */
export async function listFreeDays(
  db: Kysely<Schema>,
  { id, calendar }: FoundOffice,
  { now, ...viewer }: FreeSlotQuery,
): Promise<string[]> {
  const window = bookingWindow(calendar, now)
  const until = `${window.lastDay}T23:59:59`
  const full = await findFullSlots(db, { officeId: id, from: window.from, until, ...viewer })
  return bookableDays(calendar, window).filter(day =>
    bookableSlots(calendar, day, window).some(({ time }) => !full.has(`${day}T${time}`)),
  )
}

/** Returns the start times, `HH:MM:SS`, of a day that have a free place for the applicant. */
export async function listFreeSlots(
  db: Kysely<Schema>,
  { id, calendar }: FoundOffice,
  { day, now, ...viewer }: FreeSlotQuery & { day: string },
): Promise<string[]> {
  const slots = bookableSlots(calendar, day, bookingWindow(calendar, now))
  if (slots.length === 0) return []
  const range = { from: `${day}T00:00:00`, until: `${day}T23:59:59` }
  const full = await findFullSlots(db, { officeId: id, ...range, ...viewer })
  return slots.map(({ time }) => time).filter(time => !full.has(`${day}T${time}`))
}

/**
 * Returns the start times of the slots without a free place for the applicant. Until `free_from`, a place is free only
 * for the applicant who had it last. A place that the applicant holds also counts as free, so that the applicant can choose
 * it again; with `applicationId`, only a place that this application holds.
 */
async function findFullSlots(
  db: Kysely<Schema>,
  { applicantId, applicationId, ...range }: SlotRange & SlotViewer,
): Promise<Set<string>> {
  const { rows } = await sql<{ starts_at: string }>`
    select slot.starts_at
    ${placesIn(range)}
      and (${isTaken} or (${isToCome('free_from')} and place.applicant_id is distinct from ${applicantId}::uuid))
      and coalesce(place.appointment_id, '00000000-0000-0000-0000-000000000000') <> all (array(
        select appointment.id
        from appointment join application on application.id = appointment.application_id
        where application.applicant_id = ${applicantId} and appointment.state = 'HELD'
          and application.id = coalesce(${applicationId ?? null}::uuid, application.id)))
    group by slot.id, opening.weekday, opening.opens, opening.capacity
    having count(*) >= opening.capacity`.execute(db)
  return new Set(rows.map(row => row.starts_at))
}
