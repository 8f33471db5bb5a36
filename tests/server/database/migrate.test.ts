import { type Migration, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import { migrate } from '#server/database/migrate.ts'
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

describe.each(['pglite', 'postgresql'] as const)('migrations on %s', kind => {
  it('run once when they are called several times', async () => {
    database = await openTestDatabase(kind)
    await migrate(database.db, { '0001': first })
    await migrate(database.db, { '0001': first })
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([{ id: 1 }])
  })

  it('change nothing and throw the error when one of them fails', async () => {
    database = await openTestDatabase(kind)
    await expect(migrate(database.db, { '0001': first, '0002': broken })).rejects.toThrow('duplicate key')
    const { rows } = await sql`select to_regclass('note') as note, to_regclass('other') as other`.execute(
      database.db,
    )
    expect(rows).toEqual([{ note: null, other: null }])
  })

  it('throw when the tables are newer than the server', async () => {
    database = await openTestDatabase(kind)
    const later: Migration = {
      async up(db) {
        await sql`alter table note add text text`.execute(db)
      },
    }
    await migrate(database.db, { '0001': first, '0002': later })
    await expect(migrate(database.db, { '0001': first })).rejects.toThrow('0002')
    expect((await sql`select * from note`.execute(database.db)).rows).toEqual([{ id: 1, text: null }])
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
