import { readdirSync, readFileSync } from 'node:fs'
import { type Migration, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase, type OpenDatabase } from '#server/database/connect.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { migrate, NewerTablesError, TableBusyError } from '#server/database/migrate.ts'
import { migrations } from '#server/database/migrations/index.ts'
import { openTestDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

let database: TestDatabase | undefined

afterEach(async () => {
  await database?.close()
  database = undefined
})

const first: Migration = {
  async up(db) {
    await sql`create table note (id int primary key)`.execute(db)
    await sql`select pg_sleep(0.1)`.execute(db)
    await sql`insert into note values (1)`.execute(db)
  },
}

const broken: Migration = {
  async up(db) {
    await sql`create table other (id int)`.execute(db)
    await sql`insert into note values (1)`.execute(db)
  },
}

const wider: Migration = {
  async up(db) {
    await sql`alter table note add text text`.execute(db)
  },
}

const other: Migration = {
  async up(db) {
    await sql`create table other (id int)`.execute(db)
  },
}

const narrower: Migration = {
  async up(db) {
    await sql`alter table note drop text`.execute(db)
  },
}

describe('the migrations of this server (D73)', () => {
  const names = Object.keys(migrations)

  it('keep their names, which databases store', () => {
    expect(names).toEqual(released)
  })

  it('are in the order of their numbers, each number once', () => {
    const numbers = names.map(name => name.slice(0, 4))
    expect(numbers).toEqual([...new Set(numbers)].toSorted())
  })

  it('name the migration that a release must have when they narrow the tables', () => {
    const folder = new URL('../../../server/database/migrations/', import.meta.url)
    const narrowing = readdirSync(folder)
      .filter(file => /^\d/.test(file) && !file.startsWith('0001'))
      .filter(file => NARROWING.test(readFileSync(new URL(file, folder), 'utf8')))
      .map(file => file.replace('.ts', ''))
    expect(narrowing.filter(name => !/-needs-\d{4}$/.test(name))).toEqual([])
  })
})

/** Never rename, remove or reorder one of these: databases exist that have them. Add each new one. */
const released = [
  '0001-first-tables',
  '0002-one-contact-of-a-kind',
  '0003-delivery-reports',
  '0004-asking-about-payments',
  '0005-places-that-come-back',
  '0006-watches',
  '0007-announced-deletions',
  '0008-codes-by-two-ways',
  '0009-repeated-sign-in',
  '0010-server-epoch',
  '0011-repeated-second-contact',
  '0012-return-addresses',
  '0013-networks-of-codes',
  '0014-lanes-and-jobs',
  '0015-whitelist-entries',
  '0016-account-safety',
  '0017-operator-records',
  '0018-outbox-by-recipient',
  '0022-after-a-restore',
  '0024-normal-contacts',
  '0025-security-events',
  '0026-receipt-tickets',
  '0027-account-deletion',
  '0028-retention',
  '0031-data-at-rest',
  '0034-waits-after-wrong-codes',
  '0035-dormant-accounts',
  '0036-open-reminders',
  '0037-daily-events',
  '0038-last-proofs-of-contacts',
  '0039-proofs-before-changes',
  '0040-object-events',
  '0041-past-applicants',
]

/**
 * What an older release cannot survive. A migration may drop an index, which only makes statements slower, but no unique
 * one; this pattern does not find that.
 */
const NARROWING = /drop (?:table|column|sequence)|rename |set not null|alter column \w+ type|drop default/i

describe.each(['pglite', 'postgresql'] as const)('migrations on %s', kind => {
  it('run once when they are called several times', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first })
    await migrate(database.db, { '0001': first })
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([{ id: 1 }])
  })

  it('run one that was added before a later one, which the tables have already', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first, '0003': wider })
    expect(await migrate(database.db, { '0001': first, '0002': other, '0003': wider })).toEqual(['0002'])
  })

  it('change nothing by the one that fails, keep those before it, and continue there at the next start (D73)', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first })
    const release = { '0001': first, '0002': wider, '0003': broken }
    await expect(migrate(database.db, release)).rejects.toThrow('duplicate key')
    const { rows } = await sql`select to_regclass('other') as other, note.* from note`.execute(database.db)
    expect(rows).toEqual([{ other: null, id: 1, text: null }])
    expect(await migrate(database.db, { ...release, '0003': other })).toEqual(['0003'])
  })

  it('leave no table of an earlier one when one fails on an empty database', async () => {
    database = await openTestDatabase(kind)
    await expect(migrate(database.db, { '0001': first, '0002': broken })).rejects.toThrow('duplicate key')
    const { rows } = await sql`select to_regclass('note') as note`.execute(database.db)
    expect(rows).toEqual([{ note: null }])
  })

  it('of an older release start on newer tables, and change nothing there (D73)', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first, '0002': wider })
    expect(await migrate(database.db, { '0001': first })).toEqual([])
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([{ id: 1, text: null }])
  })

  it('of an older release refuse tables that were narrowed since, with what to do (D73)', async () => {
    database = await openTestDatabase(kind)
    const before = { '0001': first, '0002': wider }
    await migrate(database.db, { ...before, '0003-drop-text-needs-0002': narrower })
    expect(await migrate(database.db, before)).toEqual([])
    const refused = migrate(database.db, { '0001': first })
    await expect(refused).rejects.toThrow(NewerTablesError)
    await expect(refused).rejects.toThrow(
      'The tables have the migration 0003-drop-text-needs-0002 of a newer release, with which this release cannot work. Start the newer release',
    )
  })

  it('throw when the tables have another migration instead of one of this release', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first, '0002-other': wider })
    await expect(migrate(database.db, { '0001': first, '0002': wider })).rejects.toThrow('0002-other')
  })

  it('of this server run on an empty database', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db)
    await migrate(database.db)
  })
})

describe('migrations of several servers that start together', () => {
  it('run once', async () => {
    database = await openTestDatabase('postgresql')
    const { databaseUrl } = database
    const servers = await Promise.all(
      Array.from({ length: 4 }, () => connectDatabase({ databaseUrl, dataDir: '' })),
    )
    await Promise.all(servers.map(({ db }) => migrate(db, { '0001': first })))
    await Promise.all(servers.map(({ close }) => close()))
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([{ id: 1 }])
  })
})

describe('migrations beside a running service (D73)', () => {
  const before = { '0001': first }
  const withWider = { ...before, '0002': wider }
  let reader: OpenDatabase
  beforeEach(async () => {
    database = await openTestDatabase('postgresql')
    const { databaseUrl } = database
    await migrate(database.db, before)
    reader = await connectDatabase({ databaseUrl, dataDir: '' })
  })
  afterEach(() => reader.close())

  it('let others use a table before the next migration is done', async () => {
    const { db } = database as TestDatabase
    let found: unknown
    const readNote: Migration = {
      async up() {
        await reader.db.transaction().execute(async trx => {
          await sql`set local lock_timeout = '2s'`.execute(trx)
          found = (await sql`select * from note`.execute(trx)).rows
        })
      },
    }
    expect(await migrate(db, { ...withWider, '0003': readNote })).toEqual(['0002', '0003'])
    expect(found).toEqual([{ id: 1, text: null }])
  })

  it('try again when a long transaction reads the table, and let others read between two tries', async () => {
    const { db } = database as TestDatabase
    const long = await holdTable(reader)
    const migrating = migrate(db, withWider, { lockMs: 200, pauseMs: 100, tries: 1_000 })
    for (let read = 0; read < 5; read += 1) await sql`select * from note`.execute(reader.db)
    await long.end()
    expect(await migrating).toEqual(['0002'])
  })

  it('give up after some tries with a sentence that says what to do', async () => {
    const { db, databaseUrl } = database as TestDatabase
    const long = await holdTable(reader)
    const migrating = migrate(db, withWider, { lockMs: 50, pauseMs: 10, tries: 3 })
    const error: unknown = await migrating.catch((failure: unknown) => failure)
    await long.end()
    expect(error).toBeInstanceOf(TableBusyError)
    expect(explainDatabaseFailure(error, { databaseUrl, dataDir: '' })).toMatch(
      /^The migration 0002 did not get a table in 3 tries, .* Wait for that transaction or end it, then start again\.$/,
    )
    expect(await migrate(db, withWider)).toEqual(['0002'])
  })
})

/** Reads the table in a transaction that stays open, as a backup does. */
async function holdTable({ db }: OpenDatabase): Promise<{ end: () => Promise<void> }> {
  const trx = await db.startTransaction().execute()
  await sql`select * from note`.execute(trx)
  return {
    async end() {
      await trx.commit().execute()
    },
  }
}
