import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Calendar } from './calendar.ts'

export type FoundOffice = { id: number; calendar: Calendar }

/** An active office with its calendar, in one question; nothing for an id that is none. */
export async function findOffice(db: Kysely<Schema>, id: string): Promise<FoundOffice | undefined> {
  const officeId = readId(id)
  if (officeId === undefined) return undefined
  const { rows } = await sql<Calendar>`
    select
      time_zone as "timeZone",
      horizon_days as "horizonDays",
      array(
        select json_build_object('weekday', weekday, 'opens', opens, 'closes', closes,
          'slotMinutes', slot_minutes, 'capacity', capacity)
        from opening where opening.office_id = office.id) as openings,
      array(select day from closed_day where closed_day.office_id = office.id) as "closedDays"
    from office where id = ${officeId} and active`.execute(db)
  return rows[0] && { id: officeId, calendar: rows[0] }
}

/**
 * As it was when it was last asked for here, which may be long ago and changed since by anybody: only for a statement
 * that holds it against the tables in the same breath.
 */
export function readCachedOffice(db: Kysely<Schema>, id: string): FoundOffice | undefined {
  return cachedOffices.get(db)?.get(id)
}

export function cacheOffice(db: Kysely<Schema>, office: FoundOffice): void {
  const offices = cachedOffices.get(db) ?? new Map<string, FoundOffice>()
  cachedOffices.set(db, offices.set(String(office.id), office))
}

/** There are never more than there are offices. */
const cachedOffices = new WeakMap<Kysely<Schema>, Map<string, FoundOffice>>()

/** Ids of offices, cities and countries are numbers of the database that travel as text. */
export function readId(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
