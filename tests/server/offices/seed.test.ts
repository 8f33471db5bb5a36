import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { migrate } from '#server/database/migrate.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { listCitySeeds, listOfficeSeeds } from '#server/seed/offices.ts'
import { seed } from '#server/seed/seed.ts'
import { countries } from '#server/seed/countries.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase('pglite')
  await migrate(database.db)
  await Promise.all([seed(database.db), seed(database.db)])
})
afterAll(() => database.close())

async function count(table: 'office' | 'city' | 'opening'): Promise<number> {
  const row = await database.db
    .selectFrom(table)
    .select(rows => rows.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

describe('a new database', () => {
  it('has 55 offices and their cities, and opening hours for all offices but one', async () => {
    expect(await count('office')).toBe(55)
    expect(await count('city')).toBe(listCitySeeds().length)
    expect(await count('opening')).toBe(12 * 5 + 42 * 3)
    const unpublished = listOfficeSeeds().filter(({ hours }) => hours.weekdays.length === 0)
    expect(unpublished.map(({ nameEn }) => nameEn)).toEqual(['Embassy of Cameroon – Vatican'])
  })

  it('uses countries of the dictionary and existing time zones', () => {
    const known = new Set(countries.map(({ id }) => id))
    for (const { countryId, timeZone } of listCitySeeds()) {
      expect(known).toContain(countryId)
      expect(localDateTime(timeZone, new Date('2026-12-01T12:00:00Z'))).toMatch(/^2026-12-0[12]T/)
    }
  })

  it('has a unique id for every office and every city', () => {
    expect(new Set(listOfficeSeeds().map(({ id }) => id)).size).toBe(55)
    expect(new Set(listCitySeeds().map(({ id }) => id)).size).toBe(listCitySeeds().length)
  })
})

describe('a database in use', () => {
  it('keeps the changes and deletions of the operator', async () => {
    await database.db.updateTable('office').set({ name_fr: 'Autre nom' }).where('id', '=', 3).execute()
    await database.db.deleteFrom('office').where('id', '=', 55).execute()
    await seed(database.db)
    expect(await count('office')).toBe(54)
    const office = await database.db
      .selectFrom('office')
      .select('name_fr')
      .where('id', '=', 3)
      .executeTakeFirst()
    expect(office?.name_fr).toBe('Autre nom')
  })
})

describe('a new database in production', () => {
  it('has the offices and no invented opening hours (D45)', async () => {
    const production = await openTestDatabase('pglite')
    await migrate(production.db)
    await seed(production.db, { profile: 'production' })
    const offices = await production.db.selectFrom('office').select('id').execute()
    expect(offices).toHaveLength(55)
    expect(await production.db.selectFrom('opening').selectAll().execute()).toEqual([])
    await production.close()
  })
})
