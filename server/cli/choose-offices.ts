import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { readId } from '#server/features/offices/find-office.ts'
import { countryNumber } from './cells.ts'

export type ListedOffice = { id: number; countryId: number; name: string; timeZone: string; active: boolean }

export function listOffices(db: Kysely<Schema>): Promise<ListedOffice[]> {
  return db
    .selectFrom('office')
    .select(['id', 'country_id as countryId', 'name_en as name', 'time_zone as timeZone', 'active'])
    .orderBy('id')
    .execute()
}

/** Returns the office with this id, also an inactive one, or all active offices of a country (two letters); else none. */
export function chooseOffices(offices: readonly ListedOffice[], text: string): ListedOffice[] {
  const id = readId(text)
  if (id !== undefined) return offices.filter(office => office.id === id)
  const country = countryNumber(text)
  return offices.filter(office => office.active && office.countryId === country)
}

export const unknownOfficeFault =
  'no office has this id, and no active office is in a country of these two letters'
