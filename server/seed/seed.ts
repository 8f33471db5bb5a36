import type { Kysely } from 'kysely'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import {
  type CitySeed,
  horizonDays,
  listCitySeeds,
  listOfficeSeeds,
  type OfficeSeed,
  slotMinutes,
} from './offices.ts'

/**
 * Inserts the offices into a new database. Once an office exists the operator owns the tables: the seed adds nothing,
 * so that an office that was removed or changed does not return. Opening hours and capacities are invented, for the
 * demo only: in production an office has only a general queue until the operator loads its calendar.
 */
export async function seed(
  db: Kysely<Schema>,
  { profile }: Pick<Configuration, 'profile'> = { profile: 'demo' },
): Promise<void> {
  await db.transaction().execute(async trx => {
    const office = await trx.selectFrom('office').select('id').limit(1).executeTakeFirst()
    if (office !== undefined) return
    const offices = listSeeds()
    await seedOffices(trx, offices)
    if (profile === 'demo') await seedOpenings(trx, offices)
  })
}

type Seed = OfficeSeed & { city: CitySeed }

function listSeeds(): Seed[] {
  const cities = new Map(listCitySeeds().map(city => [city.id, city]))
  return listOfficeSeeds().flatMap(office => {
    const city = cities.get(office.cityId)
    return city === undefined ? [] : [{ ...office, city }]
  })
}

/** `doNothing`, because two servers that start together both insert these rows. */
async function seedOffices(db: Kysely<Schema>, offices: Seed[]): Promise<void> {
  await db
    .insertInto('city')
    .values(
      listCitySeeds().map(city => ({
        id: city.id,
        country_id: city.countryId,
        name_fr: city.nameFr,
        name_en: city.nameEn,
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await db
    .insertInto('office')
    .values(
      offices.map(office => ({
        id: office.id,
        city_id: office.cityId,
        country_id: office.city.countryId,
        name_fr: office.nameFr,
        name_en: office.nameEn,
        address: office.address,
        time_zone: office.city.timeZone,
        horizon_days: horizonDays,
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function seedOpenings(db: Kysely<Schema>, offices: Seed[]): Promise<void> {
  await db
    .insertInto('opening')
    .values(
      offices.flatMap(({ id, capacity, hours }) =>
        hours.weekdays.map(weekday => ({
          office_id: id,
          weekday,
          opens: hours.opens,
          closes: hours.closes,
          slot_minutes: slotMinutes,
          capacity,
        })),
      ),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
