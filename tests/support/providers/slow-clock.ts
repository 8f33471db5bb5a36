import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import type { Clock } from '#server/calls/services.ts'
import { dateInDays } from '#support/data/dates.ts'

/** How much slower the time of a test goes than that of the machine: two seconds become more than a minute. */
const slowdownFactor = 50

/**
 * A clock for a test and its database that hardly moves, so that what is due in two seconds is not due already because
 * the machine was busy. It goes on, as some lists are in the order of their making. Every test begins at eleven in the
 * morning, as offices know it: the limits are counted by the hour and by the day, and no test is about the end of one.
 */
export type SlowClock = Clock & { advanceSeconds(seconds: number): void; began: Date; real: Date }

export function createSlowClock(): SlowClock {
  const real = machineClock.now().getTime()
  const began = Date.parse(`${dateInDays(0)}T11:00:00+01:00`)
  let ahead = 0
  return {
    began: new Date(began),
    real: new Date(real),
    now: () => new Date(began + Math.max(0, machineClock.now().getTime() - real) / slowdownFactor + ahead),
    advanceSeconds: seconds => {
      ahead += seconds * 1_000
    },
  }
}

/** Before the tables are made: their columns are to take their `now()` from here as well. */
export async function useSlowClock({ db }: { db: Kysely<Schema> }, clock: SlowClock): Promise<void> {
  const [began, real] = [clock.began, clock.real].map(date => sql.lit(date.toISOString()))
  await setTime(
    db,
    sql`select ${began}::timestamptz + (pg_catalog.now() - ${real}::timestamptz) / ${sql.lit(slowdownFactor)}`,
  )
}

/** For tables that another test had before, whose time was a slow one. */
export async function useRealClock({ db }: { db: Kysely<Schema> }): Promise<void> {
  await setTime(db, sql`select pg_catalog.now()`)
}

async function setTime(db: Kysely<Schema>, time: RawBuilder<unknown>): Promise<void> {
  await sql`create or replace function public.now() returns timestamptz language sql stable as $$ ${time} $$`.execute(
    db,
  )
  // PostgreSQL's own comes first unless its catalogue is named after ours: for connections to come, and for this one.
  await sql`do $$ begin
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
  end $$`.execute(db)
  await sql`set search_path = public, pg_catalog`.execute(db)
}
