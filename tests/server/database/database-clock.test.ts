import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DatabaseClock, openDatabaseClock } from '#server/database/database-clock.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { eventually } from '#support/eventually.ts'

let database: TestDatabase
let clock: DatabaseClock | undefined

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  database = await openMigratedDatabase('any')
})
afterEach(async () => {
  clock?.stop()
  vi.useRealTimers()
  await database.close()
})

/** From now on the database says that it is this time: in a test database `public.now()` hides the built-in one. */
async function setDatabaseTime(time: string): Promise<void> {
  await sql
    .raw(
      `create or replace function public.now() returns timestamptz language sql stable as $$ select '${time}'::timestamptz $$`,
    )
    .execute(database.db)
}

const secondsSince = (time: string) => ((clock?.now().getTime() ?? 0) - Date.parse(time)) / 1_000

describe('the clock that a process takes from the database', () => {
  it('shows the time of the database, whatever the machine says', async () => {
    await setDatabaseTime('2031-02-03T04:05:06Z')
    clock = await openDatabaseClock(database.db)
    expect(secondsSince('2031-02-03T04:05:06Z')).toBeGreaterThanOrEqual(0)
    expect(secondsSince('2031-02-03T04:05:06Z')).toBeLessThan(60)
  })

  it('follows when the time of the database was changed', async () => {
    await setDatabaseTime('2031-02-03T04:05:06Z')
    clock = await openDatabaseClock(database.db)
    await setDatabaseTime('2031-02-04T04:05:06Z')
    await vi.advanceTimersByTimeAsync(30_000)
    await eventually(() => expect(secondsSince('2031-02-04T04:05:06Z')).toBeGreaterThanOrEqual(0))
  })

  it('continues while the database does not answer', async () => {
    await setDatabaseTime('2031-02-03T04:05:06Z')
    clock = await openDatabaseClock(database.db)
    await database.db.destroy()
    const before = clock.now().getTime()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(secondsSince('2031-02-03T04:05:06Z')).toBeGreaterThanOrEqual(0)
    await eventually(() => expect(clock?.now().getTime()).toBeGreaterThan(before))
  })
})
