import { afterEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { claimRun } from '#server/jobs/run-every.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase
afterEach(() => database.close())

const passSeconds = (seconds: number) =>
  sql`update job set due_at = due_at - make_interval(secs => ${seconds})`.execute(database.db)

describe('a run of a job (D95)', () => {
  it('is claimed by one of twenty calls at the same moment', async () => {
    database = await openMigratedDatabase('postgresql')
    for (let round = 0; round < 3; round += 1) {
      const claims = await Promise.all(
        Array.from({ length: 20 }, () => claimRun(database.db, 'reminders', 300)),
      )
      expect(claims.filter(Boolean)).toHaveLength(1)
      await passSeconds(300)
    }
  })

  it('is due again when nine tenths of the interval have passed, whatever other jobs do', async () => {
    database = await openMigratedDatabase('postgresql')
    expect(await claimRun(database.db, 'reminders', 300)).toBe(true)
    expect(await claimRun(database.db, 'deletions', 3_600)).toBe(true)
    await passSeconds(260)
    expect(await claimRun(database.db, 'reminders', 300)).toBe(false)
    await passSeconds(15)
    expect(await claimRun(database.db, 'reminders', 300)).toBe(true)
    expect(await claimRun(database.db, 'deletions', 3_600)).toBe(false)
  })

  it('is due although the clock of the database was a year ahead at the run before', async () => {
    database = await openMigratedDatabase('postgresql')
    expect(await claimRun(database.db, 'payments', 5)).toBe(true)
    // Now the next run is as far ahead as after a run by that clock.
    await passSeconds(-365 * 86_400)
    expect(await claimRun(database.db, 'payments', 5)).toBe(true)
    expect(await claimRun(database.db, 'payments', 5)).toBe(false)
  })
})
