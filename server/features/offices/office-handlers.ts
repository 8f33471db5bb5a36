import type { Language } from '#contract/codes.ts'
import { countryName } from '#server/features/dictionary/dictionary-handlers.ts'
import { findOwnApplication } from '#server/features/applications/own-application.ts'
import { type Handlers, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { kioskHandler } from './end-kiosk.ts'
import { findOffice, readId } from './find-office.ts'
import { listFreeSlots } from './free-slots.ts'

type OfficeHandlers = Pick<
  Handlers,
  'listOfficeCountries' | 'listCities' | 'listOffices' | 'listAvailableSlots' | 'readOffice' | 'endKiosk'
>

/**
 * The handlers of API23–API25 and API27, of the name of one office (D38) and of the end of the kiosk mode (OFF18). For
 * an unknown country or city the list is empty; an unknown office is not found.
 */
export function officeHandlers(services: Services): OfficeHandlers {
  const { db, clock } = services
  return {
    listOfficeCountries: async ({ language }) => list(await listCountries(services, language)),
    listCities: async ({ params, language }) =>
      list(await listCities(services, readId(params.countryId), language)),
    listOffices: async ({ query, language }) =>
      list(await listOffices(services, readId(query.cityId), language)),
    async readOffice({ params, language }) {
      const name = await readName(services, readId(params.officeId), language)
      return name === undefined ? refuse('not-found') : { data: { name } }
    },
    endKiosk: kioskHandler(services),
    async listAvailableSlots({ caller, params, query }) {
      const office = await findOffice(db, params.officeId)
      if (office === undefined) return refuse('not-found')
      const day = query.date.slice(0, '2026-12-01'.length)
      const { applicationId } = query
      if (applicationId !== undefined && !(await findOwnApplication(db, caller, applicationId)))
        return refuse('not-found')
      const { applicantId } = caller
      return list(await listFreeSlots(db, office, { day, applicantId, applicationId, now: clock.now() }))
    },
  }
}

async function listCountries({ db }: Services, language: Language): Promise<{ id: number; name: string }[]> {
  const rows = await db
    .selectFrom('office')
    .select('country_id as id')
    .where('active', '=', true)
    .distinct()
    .execute()
  return sortByName(
    rows.map(({ id }) => ({ id, name: countryName(id, language) ?? String(id) })),
    language,
  )
}

async function listCities(
  { db }: Services,
  countryId: number | undefined,
  language: Language,
): Promise<{ id: number; name: string }[]> {
  if (countryId === undefined) return []
  const rows = await db
    .selectFrom('city')
    .select(['id', `name_${language} as name`])
    .where('country_id', '=', countryId)
    .where(row =>
      row.exists(
        row.selectFrom('office').whereRef('office.city_id', '=', 'city.id').where('office.active', '=', true),
      ),
    )
    .execute()
  return sortByName(rows, language)
}

/** Ordered by id: in a new database the largest office of a city has the lowest id. */
async function listOffices(
  { db }: Services,
  cityId: number | undefined,
  language: Language,
): Promise<{ id: number; name: string; address: string }[]> {
  if (cityId === undefined) return []
  return db
    .selectFrom('office')
    .select(['id', `name_${language} as name`, 'address'])
    .where('city_id', '=', cityId)
    .where('active', '=', true)
    .orderBy('id')
    .execute()
}

async function readName(
  { db }: Services,
  officeId: number | undefined,
  language: Language,
): Promise<string | undefined> {
  if (officeId === undefined) return undefined
  const row = await db
    .selectFrom('office')
    .select(`name_${language} as name`)
    .where('id', '=', officeId)
    .where('active', '=', true)
    .executeTakeFirst()
  return row?.name
}

function sortByName<Item extends { name: string }>(items: Item[], language: Language): Item[] {
  return items.toSorted((one, other) => one.name.localeCompare(other.name, language))
}

function list<Item>(items: Item[]): { data: { data: Item[] } } {
  return { data: { data: items } }
}
