import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '#server/cli/cli.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase('postgresql')
  vi.stubEnv('DATABASE_URL', database.databaseUrl)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

async function countTables(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(database.db)
  return rows[0]?.count ?? 0
}

async function executed(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    database.db,
  )
  return rows.map(({ name }) => name)
}

/** Records a migration of a newer release. */
async function addNewer(name: string): Promise<void> {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(database.db)
}

describe('the office commands and the tables (D73)', () => {
  it('refuse to run on tables that lack migrations, and change none of them', async () => {
    for (const words of [['payments'], ['payments', '--dry-run'], ['after-restore', '--dry-run']])
      expect(await runCommandLine(words)).toBe(1)
    expect(await countTables()).toBe(0)
  })

  it('migrate runs the migrations, and --dry-run none of them', async () => {
    expect(await runCommandLine(['migrate', '--dry-run'])).toBe(0)
    expect(await countTables()).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
    expect(await executed()).toEqual(Object.keys(migrations))
    expect(await runCommandLine(['payments', '--dry-run'])).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
  })

  it('run on the tables of a newer release, unless it has narrowed them', async () => {
    await runCommandLine(['migrate'])
    await addNewer('9998-wider')
    expect(await runCommandLine(['payments'])).toBe(0)
    expect(await runCommandLine(['migrate'])).toBe(0)
    await addNewer('9999-narrower-needs-9998')
    expect(await runCommandLine(['payments'])).toBe(1)
    expect(await runCommandLine(['migrate'])).toBe(1)
  })
})
