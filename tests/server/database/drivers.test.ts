import { sql, type Kysely } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isUniqueViolation } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { openMigratedDatabase, openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase | undefined

afterEach(async () => {
  vi.useRealTimers()
  await database?.close()
  database = undefined
})

describe.each(['pglite', 'postgresql'] as const)('%s through its driver', kind => {
  it('answers each of 2,000 concurrent queries with its own result or error', async () => {
    database = await openTestDatabase(kind)
    await sql`create table note (id int primary key, text text)`.execute(database.db)
    const { db } = database
    const outcomes = await Promise.all(
      Array.from({ length: 2000 / queryKinds.length }, (_, round) =>
        queryKinds.map((ask, index) => ask(db, round * queryKinds.length + index)),
      ).flat(),
    )
    expect(outcomes.filter(outcome => outcome !== 'as expected')).toEqual([])
    const { rows } = await sql`select count(*) as notes from note`.execute(db)
    expect(rows).toEqual([{ notes: (2000 / queryKinds.length) * 2 }])
  })

  it('converts columns the same way: days to text, counts to numbers, timestamps to dates', async () => {
    database = await openTestDatabase(kind)
    const { rows } = await sql`
      select '2026-03-01'::date as day, 9007199254740991::bigint as count, array[1, null]::bigint[] as counts,
        array['2026-03-01']::date[] as days, '2026-03-01 00:30+01'::timestamptz as moment,
        '2026-03-01 00:30+01'::timestamptz::date as universal_day, '{"a": [1]}'::jsonb as json, null::date as none
    `.execute(database.db)
    expect(rows).toEqual([
      {
        day: '2026-03-01',
        count: 9_007_199_254_740_991,
        counts: [1, null],
        days: ['2026-03-01'],
        moment: new Date('2026-02-28T23:30:00Z'),
        universal_day: '2026-02-28',
        json: { a: [1] },
        none: null,
      },
    ])
  })

  it('transfers large results and large parameters completely', async () => {
    database = await openTestDatabase(kind)
    const bytes = Buffer.alloc(3_000_000, 'passport')
    const { rows } = await sql<{ bytes: Buffer }>`select ${bytes}::bytea as bytes`.execute(database.db)
    expect(rows[0]?.bytes.equals(bytes)).toBe(true)
  })

  it('runs several statements in one text, as migrations may', async () => {
    database = await openTestDatabase(kind)
    await sql
      .raw('create table one (id int); create table two (id int); insert into one values (1)')
      .execute(database.db)
    expect((await sql`select * from one`.execute(database.db)).rows).toEqual([{ id: 1 }])
  })

  it('rolls back a transaction that throws, and the next query does not see its row', async () => {
    database = await openTestDatabase(kind)
    await sql`create table note (id int primary key)`.execute(database.db)
    const failing = database.db.transaction().execute(async trx => {
      await sql`insert into note values (1)`.execute(trx)
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([])
  })
})

describe('a statement that was prepared before a migration changed its columns (D73)', () => {
  it('is planned again and repeated', async () => {
    database = await openMigratedDatabase('postgresql')
    const { db } = database
    const statements = [
      () => db.selectFrom('applicant').select(['id', 'language']).execute(),
      () => db.insertInto('applicant').values({ language: 'fr' }).returning(['id', 'language']).execute(),
      () => db.updateTable('applicant').set({ language: 'en' }).returning('language').execute(),
    ]
    for (const run of statements) await run()
    await sql`alter table applicant add column added text`.execute(db)
    await sql`alter table applicant alter column language type varchar(20)`.execute(db)
    for (const run of statements) expect((await run()).length).toBeGreaterThan(0)
    expect(await db.selectFrom('applicant').select('id').execute()).toHaveLength(2)
  })

  it('ends its transaction as an outage does, and the next transaction succeeds', async () => {
    // A process prepares a limited number of statements, and other test files may have used them up: new modules count from 0.
    vi.resetModules()
    const { openMigratedDatabase: openWithNewModules } = await import('#support/servers/test-databases.ts')
    const { isDatabaseOutage } = await import('#server/database/outage.ts')
    database = await openWithNewModules('postgresql')
    const { db } = database
    const addApplicant = () =>
      db.transaction().execute(async trx => {
        await sql`select 1`.execute(trx)
        return trx.insertInto('applicant').values({ language: 'fr' }).returning('language').execute()
      })
    await addApplicant()
    await sql`alter table applicant alter column language type varchar(20)`.execute(db)
    const error: unknown = await addApplicant().catch((failure: unknown) => failure)
    expect(isDatabaseOutage(error)).toBe(true)
    await addApplicant()
    expect(await db.selectFrom('applicant').select('id').execute()).toHaveLength(2)
  })
})

describe('a statement that waits for a migration which waits for the statement (D73)', () => {
  it('is repeated after PostgreSQL has ended it', async () => {
    database = await openMigratedDatabase('postgresql')
    const { db } = database
    // PostgreSQL ends the statement whose process finds the deadlock; in this test that must be the reader. The reader's wait
    // for `application` completes the deadlock, and its process looks for a deadlock a second later. The process of the
    // migration, which began to wait earlier, looks for a deadlock only after 60 s.
    const first = await db.startTransaction().execute()
    const migration = await db.startTransaction().execute()
    await sql`set local deadlock_timeout = '60s'`.execute(migration)
    await sql`lock table contact in access exclusive mode`.execute(first)
    await sql`lock table application in access exclusive mode`.execute(migration)
    const reader = db
      .selectFrom('appointment')
      .innerJoin('contact', join => join.onTrue())
      .innerJoin('application', 'application.id', 'appointment.application_id')
      .select('appointment.id')
      .execute()
    await expect.poll(() => countWaiting(db)).toBe(1)
    const lock = sql`lock table appointment in access exclusive mode`.execute(migration)
    await expect.poll(() => countWaiting(db)).toBe(2)
    await first.commit().execute()
    await lock
    await migration.commit().execute()
    expect(await reader).toEqual([])
  })
})

async function countWaiting(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
  return rows[0]?.waiting ?? 0
}

describe('a connection that PostgreSQL closes', () => {
  it('fails only the transaction that runs on it', async () => {
    database = await openTestDatabase('postgresql')
    const { db } = database
    const ended = db.transaction().execute(async trx => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
      await sql`select 1`.execute(trx)
    })
    await expect(ended).rejects.toThrow()
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })
})

describe('a query on the only connection of PGlite, inside a transaction that waits for the query', () => {
  it('fails with a timeout instead of waiting forever', async () => {
    database = await openTestDatabase('pglite', {})
    const { db } = database
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await db.transaction().execute(async () => {
      const stuck = sql`select 1`.execute(db)
      const refused = expect(stuck).rejects.toThrow('timeout exceeded when trying to connect')
      await vi.advanceTimersByTimeAsync(10_000)
      await refused
    })
  })
})

type Ask = (db: Kysely<Schema>, number: number) => Promise<string>

const queryKinds: Ask[] = [
  async (db, number) => {
    const { rows } = await sql<{ echo: number }>`select ${number}::int as echo`.execute(db)
    return rows[0]?.echo === number ? 'as expected' : `asked for ${number}, got ${rows[0]?.echo}`
  },
  async (db, number) => {
    const text = `text of ${number}`
    const { rows } = await sql`insert into note values (${number}, ${text}) returning text`.execute(db)
    return JSON.stringify(rows) === JSON.stringify([{ text }]) ? 'as expected' : JSON.stringify(rows)
  },
  (db, number) => expectCode(sql`select ${number}::int / 0`.execute(db), '22012'),
  (db, number) => expectCode(sql`select missing_${sql.raw(String(number))}`.execute(db), '42703'),
  (db, number) => expectCode(sql`select ${`word ${number}`}::int`.execute(db), '22P02'),
  async (db, number) => {
    const clash = db.transaction().execute(async trx => {
      await sql`insert into note values (${-number}, 'first')`.execute(trx)
      await sql`insert into note values (${-number}, 'second')`.execute(trx)
    })
    return clash.then(
      () => 'no clash',
      (error: unknown) => (isUniqueViolation(error) ? 'as expected' : String(error)),
    )
  },
  async (db, number) => {
    const echoed = await db.transaction().execute(async trx => {
      await sql`insert into note values (${-number}, 'kept')`.execute(trx)
      const { rows } = await sql<{ echo: string }>`select ${`echo ${number}`} as echo`.execute(trx)
      return rows[0]?.echo
    })
    return echoed === `echo ${number}` ? 'as expected' : `asked for ${number}, got ${echoed}`
  },
  async (db, number) => {
    const { rows } = await sql<{ n: number }>`select n from generate_series(1, ${number}::int) n`.execute(db)
    return rows.length === number && rows.at(-1)?.n === (number || undefined)
      ? 'as expected'
      : `${rows.length} rows`
  },
]

function expectCode(question: Promise<unknown>, code: string): Promise<string> {
  return question.then(
    () => 'no error',
    (error: unknown) => {
      const actual = error instanceof Error && 'code' in error ? error.code : error
      return actual === code ? 'as expected' : `${String(actual)} instead of ${code}`
    },
  )
}
