import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Schema } from '#server/database/schema.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import { openTestDatabase } from '#support/servers/test-databases.ts'

describe("the machine's time", () => {
  it.each(['pglite', 'postgresql'] as const)('is the same for the server and for %s', async kind => {
    const { db, close } = await openTestDatabase(kind)
    const before = machineClock.now().getTime()
    const shown = await readTime(db)
    const after = machineClock.now().getTime()
    await close()
    expect(shown).toBeGreaterThanOrEqual(before - 1_000)
    expect(shown).toBeLessThanOrEqual(after + 1_000)
  })

  it('is the time that `npm run test:hours` has set', ({ skip }) => {
    const time = process.env['TIME_UNDER_TEST'] ?? ''
    skip(time === '', 'only in npm run test:hours')
    const since = machineClock.now().getTime() - Date.parse(time)
    expect(since).toBeGreaterThanOrEqual(-2_000)
    expect(since).toBeLessThan(6 * 60 * 60 * 1_000)
  })
})

/** PostgreSQL's own function, even when a test has replaced `now()`. */
async function readTime(db: Kysely<Schema>): Promise<number | undefined> {
  const { rows } = await sql<{ time: Date }>`select pg_catalog.now() as time`.execute(db)
  return rows[0]?.time.getTime()
}
