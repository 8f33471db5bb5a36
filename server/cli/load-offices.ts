import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import type { Schema } from '#server/database/schema.ts'
import { countryCell, timeZoneCell, wholeNumberCell, textCell, yesOrNoCell } from './cells.ts'
import { type Command, pluralise, done, refused } from './command.ts'
import { limitFaults, readTable, type Row } from './read-table.ts'

const columns = {
  id: wholeNumberCell(1, 999_999_999),
  country: countryCell(),
  cityFr: textCell(100),
  cityEn: z.optional(textCell(100)),
  nameFr: textCell(200),
  nameEn: textCell(200),
  address: z._default(textCell(300), ''),
  timeZone: timeZoneCell(),
  active: z._default(yesOrNoCell(), true),
}
type OfficeRow = Row<typeof columns>
type LoadResult = 'added' | 'changed' | 'same'

export const loadOfficesCommand: Command = {
  name: 'load-offices',
  usage: 'FILE.csv',
  operands: [1, 1],
  summary: 'Adds and changes offices; those that the file does not name stay as they are',
  help: [
    'Columns: id, country (two letters, CM), cityFr, cityEn (if empty, as cityFr), nameFr, nameEn, address,',
    'timeZone (Africa/Douala), active (yes or no; if empty, yes).',
    'An id stays with its office for ever. An office that is no longer active takes no new appointments;',
    'those it has are kept (see close-day). A new office has no opening hours: see load-calendars.',
  ],
  options: {},
  isRecorded: false,
  async run({ trx, openFile }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), columns)
    if (table.kind === 'faults') return refused(...table.faults)
    const faults = [
      ...findDoubles(table.rows),
      ...findCityFaults(table.rows),
      ...(await findUnknownZones(trx, table.rows)),
    ]
    if (faults.length > 0) return refused(...limitFaults(faults))
    const loads: LoadResult[] = []
    const renamed: RenamedCities = new Map()
    for (const row of table.rows) loads.push(await loadOffice(trx, row, renamed))
    const count = (load: LoadResult) => loads.filter(each => each === load).length
    const total = `${pluralise(loads.length, 'office')}: ${count('added')} added, ${count('changed')} changed`
    return done(
      `${total}, ${count('same')} as they were.`,
      ...listRenamed(renamed),
      ...(await listWithoutHours(trx)),
    )
  },
}

/** The French names of the cities whose English name changes, by the ids of these cities. */
type RenamedCities = Map<number, string>

/** A line for the operator: the offices of these cities that the file does not name change too. */
function listRenamed(renamed: RenamedCities): string[] {
  if (renamed.size === 0) return []
  return [`The English name of the city changes for all offices of: ${[...renamed.values()].join(', ')}.`]
}

function findDoubles(rows: OfficeRow[]): string[] {
  return rows.flatMap(row => {
    const first = rows.find(other => other.values.id === row.values.id)
    return first === undefined || first === row
      ? []
      : [row.fault('id', `${row.values.id} is on line ${first.line} already.`)]
  })
}

/** A city has one English name, so of two rows the later one would rename it. */
function findCityFaults(rows: OfficeRow[]): string[] {
  const isSameCity = (one: OfficeRow['values'], other: OfficeRow['values']) =>
    one.country === other.country && one.cityFr === other.cityFr
  return rows.flatMap(row => {
    const first = rows.find(other => isSameCity(other.values, row.values)) ?? row
    const [name, firstName] = [cityNameEn(row.values), cityNameEn(first.values)]
    return name === firstName
      ? []
      : [
          row.fault(
            'cityEn',
            `${row.values.cityFr} is "${name}" here and "${firstName}" on line ${first.line}.`,
          ),
        ]
  })
}

function cityNameEn({ cityFr, cityEn = cityFr }: OfficeRow['values']): string {
  return cityEn
}

/**
 * Node and PostgreSQL have their own lists of time zones. Statements of jobs read the zones of all offices, so a zone that
 * PostgreSQL does not know would stop these jobs for all offices.
 */
async function findUnknownZones(db: Kysely<Schema>, rows: OfficeRow[]): Promise<string[]> {
  const zones = [...new Set(rows.map(({ values }) => values.timeZone))]
  const { rows: unknown } = await sql<{ zone: string }>`
    select zone from unnest(${zones}::text[]) as zone
    where lower(zone) not in (select lower(name) from pg_timezone_names)`.execute(db)
  return rows
    .filter(row => unknown.some(({ zone }) => zone === row.values.timeZone))
    .map(row =>
      row.fault(
        'timeZone',
        `The database does not know ${row.values.timeZone}. Give the name of a city, such as America/Toronto.`,
      ),
    )
}

async function loadOffice(
  db: Kysely<Schema>,
  { values }: OfficeRow,
  renamed: RenamedCities,
): Promise<LoadResult> {
  const wanted = {
    city_id: await findOrAddCity(db, values, renamed),
    country_id: values.country,
    name_fr: values.nameFr,
    name_en: values.nameEn,
    address: values.address,
    time_zone: values.timeZone,
    active: values.active,
  }
  const existing = await db
    .selectFrom('office')
    .select(['city_id', 'country_id', 'name_fr', 'name_en', 'address', 'time_zone', 'active'])
    .where('id', '=', values.id)
    .executeTakeFirst()
  if (existing === undefined) {
    await db
      .insertInto('office')
      .values({ id: values.id, ...wanted })
      .execute()
    return 'added'
  }
  if (Object.entries(wanted).every(([name, value]) => Object.entries(existing).some(same(name, value))))
    return renamed.has(wanted.city_id) ? 'changed' : 'same'
  await db.updateTable('office').set(wanted).where('id', '=', values.id).execute()
  return 'changed'
}

function same(name: string, value: unknown) {
  return ([other, existing]: [string, unknown]) => other === name && existing === value
}

/**
 * Returns the id of the city, and stores its English name if that is another one. Country and French name identify a city,
 * so that files need no ids of cities. `renamed` gets a city whose English name changes.
 */
async function findOrAddCity(
  db: Kysely<Schema>,
  values: OfficeRow['values'],
  renamed: RenamedCities,
): Promise<number> {
  const { country: countryId, cityFr } = values
  const cityEn = cityNameEn(values)
  const city = await db
    .selectFrom('city')
    .select(['id', 'name_en'])
    .where('country_id', '=', countryId)
    .where('name_fr', '=', cityFr)
    .executeTakeFirst()
  if (city === undefined) {
    const { id } = await db
      .insertInto('city')
      .values({
        id: sql<number>`(select coalesce(max(id), 0) + 1 from city)`,
        country_id: countryId,
        name_fr: cityFr,
        name_en: cityEn,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  if (city.name_en !== cityEn) {
    await db.updateTable('city').set({ name_en: cityEn }).where('id', '=', city.id).execute()
    renamed.set(city.id, cityFr)
  }
  return city.id
}

async function listWithoutHours(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db
    .selectFrom('office')
    .select('id')
    .where('active', '=', true)
    .where(sql<boolean>`not exists (select from opening where opening.office_id = office.id)`)
    .orderBy('id')
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id).join(', ')
  return [`Without opening hours, so only with a general queue: ${ids}. See load-calendars.`]
}
