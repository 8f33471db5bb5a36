import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Calendar } from './calendar.ts'

export type FoundOffice = { id: number; calendar: Calendar }

/** Reads an active office and its calendar in one query. Undefined for an unknown or inactive office. */
export async function findOffice(db: Kysely<Schema>, id: string): Promise<FoundOffice | undefined> {
  const officeId = readId(id)
  if (officeId === undefined) return undefined
  const calendar = await selectCalendar(db, sql`id = ${officeId} and active`)
  return calendar && { id: officeId, calendar }
}

/** Returns the calendar of an office, also of an inactive one, which keeps its bookings. */
export function readCalendar(db: Kysely<Schema>, officeId: number): Promise<Calendar | undefined> {
  return selectCalendar(db, sql`id = ${officeId}`)
}

async function selectCalendar(
  db: Kysely<Schema>,
  isWanted: RawBuilder<unknown>,
): Promise<Calendar | undefined> {
  const { rows } = await sql<Calendar>`
    select
      time_zone as "timeZone",
      horizon_days as "horizonDays",
      array(
        select json_build_object('weekday', weekday, 'opens', opens, 'closes', closes,
          'slotMinutes', slot_minutes, 'capacity', capacity)
        from opening where opening.office_id = office.id) as openings,
      array(select day from closed_day where closed_day.office_id = office.id) as "closedDays"
    from office where ${isWanted}`.execute(db)
  return rows[0]
}

/**
 * Returns the copy of the office that `cacheOffice` stored last in this process. The copy may be stale: use it only in
 * a statement that also compares it with the tables.
 */
export function readCachedOffice({ config }: CacheOwner, id: string): FoundOffice | undefined {
  return cachedOffices.get(config)?.get(id)
}

/** Stores the copy that `readCachedOffice` returns. */
export function cacheOffice({ config }: CacheOwner, office: FoundOffice): void {
  const offices = cachedOffices.get(config) ?? new Map<string, FoundOffice>()
  cachedOffices.set(config, offices.set(String(office.id), office))
}

/** The server. Its configuration stays the same object, while each transaction is another `db`. */
type CacheOwner = Pick<Services, 'config'>

/** Holds at most one entry for each office of each server. */
const cachedOffices = new WeakMap<Services['config'], Map<string, FoundOffice>>()

/** Parses the id of an office, city or country, a number that the wire sends as text. Undefined when it is none. */
export function readId(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
