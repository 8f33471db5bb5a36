import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import type { Clock } from '#server/calls/services.ts'
import { dateInDays } from '#support/data/dates.ts'

/** Two seconds of test time last more than a minute of real time. */
const slowdownFactor = 50

/**
 * A slow clock for a test and its database, so that no timeout of 2 s expires on a busy machine. The clock does not
 * stand still, because some lists are ordered by creation time.
 */
export type SlowClock = Clock & {
  /** Advances this clock only, not that of the database. */
  advanceSeconds(seconds: number): void
  /** The time that this clock showed when it was created. */
  startTime: Date
  /** The time that the machine's clock showed then. */
  machineStartTime: Date
}

/**
 * `startsAt`: an instant; 11:00 in Cameroon today by default, because limits are counted for each hour and day, and no
 * test may cross the end of one by chance.
 */
export function createSlowClock(startsAt = `${dateInDays(0)}T11:00:00+01:00`): SlowClock {
  const machineStartMs = machineClock.now().getTime()
  const startMs = Date.parse(startsAt)
  let advancedMs = 0
  return {
    startTime: new Date(startMs),
    machineStartTime: new Date(machineStartMs),
    now() {
      const elapsedMs = Math.max(0, machineClock.now().getTime() - machineStartMs)
      return new Date(startMs + elapsedMs / slowdownFactor + advancedMs)
    },
    advanceSeconds: seconds => {
      advancedMs += seconds * 1_000
    },
  }
}

/**
 * Gives the database a `now()` that starts and slows down like this clock; `advanceSeconds` does not move it. The defaults of
 * the columns use it too, if this function or `useRealClock` was called before the migrations.
 */
export async function useSlowClock({ db }: { db: Kysely<Schema> }, clock: SlowClock): Promise<void> {
  const [start, machineStart] = [clock.startTime, clock.machineStartTime].map(date =>
    sql.lit(date.toISOString()),
  )
  await setTime(
    db,
    sql`select ${start}::timestamptz + (pg_catalog.now() - ${machineStart}::timestamptz) / ${sql.lit(slowdownFactor)}`,
  )
}

/**
 * Waits until the slow clock of the database shows the next millisecond: about 50 ms at most. For two events of one row
 * that the server tells apart by their times in milliseconds, such as two announcements of the deletion of an account.
 */
export async function waitForNextMillisecond({ db }: { db: Kysely<Schema> }): Promise<void> {
  const time = sql<{ time: string }>`select date_trunc('milliseconds', now())::text as time`
  const readTime = async () => (await time.execute(db)).rows[0]?.time
  const before = await readTime()
  while ((await readTime()) === before) await pause(5)
}

/** Gives the database a `now()` with the time of the machine, also when another test has used it with a slow clock. */
export async function useRealClock({ db }: { db: Kysely<Schema> }): Promise<void> {
  await setTime(db, sql`select pg_catalog.now()`)
}

async function setTime(db: Kysely<Schema>, time: RawBuilder<unknown>): Promise<void> {
  // PostgreSQL prefers its own now() unless the search path names pg_catalog last. Sets the path for new connections
  // and for this one. One statement, because tests open a database thousands of times.
  await sql`do $do$ begin
    create or replace function public.now() returns timestamptz language sql stable as $$ ${time} $$;
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
    perform set_config('search_path', 'public, pg_catalog', false);
  end $do$`.execute(db)
}
