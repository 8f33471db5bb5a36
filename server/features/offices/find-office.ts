import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Calendar } from './calendar.ts'

export type FoundOffice = { id: number; calendar: Calendar }

/** An active office with its calendar; nothing for an id that is none. */
export async function findOffice(db: Kysely<Schema>, id: string): Promise<FoundOffice | undefined> {
  const officeId = readId(id)
  if (officeId === undefined) return undefined
  const office = await db
    .selectFrom('office')
    .select(['id', 'time_zone', 'horizon_days'])
    .where('id', '=', officeId)
    .where('active', '=', true)
    .executeTakeFirst()
  if (office === undefined) return undefined
  const openings = await db
    .selectFrom('opening')
    .select(['weekday', 'opens', 'closes', 'slot_minutes as slotMinutes', 'capacity'])
    .where('office_id', '=', officeId)
    .execute()
  const closed = await db.selectFrom('closed_day').select('day').where('office_id', '=', officeId).execute()
  const closedDays = closed.map(({ day }) => day)
  const { time_zone: timeZone, horizon_days: horizonDays } = office
  return { id: officeId, calendar: { timeZone, openings, closedDays, horizonDays } }
}

/** Ids of offices, cities and countries are numbers of the database that travel as text. */
export function readId(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
