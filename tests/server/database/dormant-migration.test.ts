import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { migrate } from '#server/database/migrate.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase
afterEach(() => database.close())

const before = (number: string) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => name < number))

/**
 * Stores an account that is `days` old, with a phone number since then. `applicationDays`: the age of its application;
 * without it the account has none. Returns the account's id.
 */
async function addAccount(days: number, applicationDays?: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into applicant (created_at) values (${ago(days)}) returning id`.execute(database.db)
  const id = rows[0]?.id ?? ''
  await sql`
    insert into contact (kind, value, applicant_id, proven_at)
    values ('phone', ${id}, ${id}, ${ago(days)})`.execute(database.db)
  if (applicationDays !== undefined)
    await sql`
      insert into application (applicant_id, number, created_at)
      values (${id}, ${id}, ${ago(applicationDays)})`.execute(database.db)
  return id
}

const ago = (days: number) => sql`now() - make_interval(days => ${days}, hours => 1)`

/** Whole days since the last sign-in of an account. */
async function daysOf(id: string): Promise<number> {
  const { rows } = await sql<{ days: number }>`
    select floor(extract(epoch from now() - signed_in_at) / 86400)::integer as days
    from applicant where id = ${id}`.execute(database.db)
  return rows[0]?.days ?? -1
}

it.each(['pglite', 'postgresql'] as const)(
  'replaces the sign-in time that the migration 0028 stored: an account with an application gets its last known use, on %s (D122)',
  async kind => {
    database = await openTestDatabase(kind)
    await migrate(database.db, before('0035'))
    const applied = await addAccount(500, 450)
    const proven = await addAccount(500, 490)
    await sql`
      insert into challenge (kind, value, browser_hash, proven_at)
      values ('phone', ${proven}, 'b', ${ago(100)})`.execute(database.db)
    const empty = await addAccount(500)
    const signedInLater = await addAccount(500, 450)
    // The migration 0028 stored the moment at which it ran in all accounts.
    await sql`update applicant set signed_in_at = ${ago(60)}`.execute(database.db)
    await sql`update applicant set signed_in_at = ${ago(10)} where id = ${signedInLater}`.execute(database.db)
    await migrate(database.db, migrations)
    expect(await daysOf(applied)).toBe(450)
    expect(await daysOf(proven)).toBe(100)
    // An account without an application keeps this moment, so that it is not deleted earlier (D113).
    expect(await daysOf(empty)).toBe(60)
    expect(await daysOf(signedInLater)).toBe(10)
  },
)

it('gives each contact the last sign-in of its account, or the day of its first proof if later (D122)', async () => {
  database = await openTestDatabase('pglite')
  await migrate(database.db, before('0038'))
  const id = await addAccount(500)
  await sql`update applicant set signed_in_at = ${ago(60)} where id = ${id}`.execute(database.db)
  await sql`
    insert into contact (kind, value, applicant_id, proven_at)
    values ('email', 'awa@example.cm', ${id}, ${ago(20)})`.execute(database.db)
  await migrate(database.db, migrations)
  const { rows } = await sql<{ kind: string; days: number }>`
    select kind, floor(extract(epoch from now() - last_proven_at) / 86400)::integer as days
    from contact order by kind`.execute(database.db)
  expect(rows).toEqual([
    { kind: 'email', days: 20 },
    { kind: 'phone', days: 60 },
  ])
})
