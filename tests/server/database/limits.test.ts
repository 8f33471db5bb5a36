import { createConnection, createServer, type Server } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { connectDatabase, type DatabaseLimits } from '#server/database/connect.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { isDatabaseOutage, NoAnswerError } from '#server/database/outage.ts'
import { bodyOf, signInDirectly } from '#support/servers/api-client.ts'
import { openTestDatabase, poolTimeoutMs, type TestDatabase } from '#support/servers/test-databases.ts'
import { startTestServer } from '#support/servers/test-server.ts'

const closings: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

/** Far longer than a test takes. */
const longMs = 3_600_000
/** PostgreSQL takes 0 for no limit. With a limit, its timer would fire early while the clock is faked (test:hours). */
const noLimits: DatabaseLimits = {
  statementMs: 0,
  lockMs: 0,
  idleInTransactionMs: 0,
  answerMs: longMs,
}

async function openLimited(limits: Partial<DatabaseLimits>): Promise<TestDatabase> {
  const database = await openTestDatabase('postgresql', {
    timeoutMs: poolTimeoutMs,
    limits: { ...noLimits, ...limits },
  })
  closings.push(() => database.close())
  return database
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing',
    (error: unknown) => error,
  )

describe('a request that needs a row that a frozen transaction has locked (D92)', () => {
  it('answers 503 with Retry-After after the limit, and does not wait for the transaction', async () => {
    const limits = { ...noLimits, lockMs: 200 }
    const server = await startTestServer({ database: 'postgresql', offices: 'none', pool: { limits } })
    closings.push(() => server.close())
    const applicant = await signInDirectly(server)
    const { id } = bodyOf(await applicant.call('createApplication')).data
    const save = () => applicant.call('saveData', { params: { id }, body: { draft: true }, key: 'save-once' })
    await server.services.db.transaction().execute(async frozen => {
      await sql`select from application where id = ${id} for update`.execute(frozen)
      const refused = await save()
      expect(refused).toMatchObject({ status: 503, failure: { reason: 'unavailable' } })
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    })
    expect((await save()).status).toBe(200)
    expect(server.warnings.map(({ level }) => level)).toEqual(['warn'])
  })
})

describe('a statement on PostgreSQL (D92)', () => {
  it('is ended when it takes longer than the limit', async () => {
    const { db } = await openLimited({ statementMs: 1_000 })
    const error = await thrownBy(sql`select pg_sleep(600)`.execute(db))
    expect(error).toMatchObject({ code: '57014' })
    expect(isDatabaseOutage(error)).toBe(true)
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  it('gets the row that a transaction has locked, when this transaction is idle for longer than the limit', async () => {
    const { db } = await openLimited({ idleInTransactionMs: 2_000 })
    await sql`create table note (id int primary key)`.execute(db)
    await sql`insert into note values (1)`.execute(db)
    const frozen = db.transaction().execute(async trx => {
      await sql`update note set id = 2`.execute(trx)
      // Waits until PostgreSQL has ended this transaction.
      await sql`update note set id = 3`.execute(db)
      await sql`update note set id = 4`.execute(trx)
    })
    expect(isDatabaseOutage(await thrownBy(frozen))).toBe(true)
    expect((await sql`select id from note`.execute(db)).rows).toEqual([{ id: 3 }])
  })

  it('has no limit in work like a migration', async () => {
    const database = await openLimited({ statementMs: 1_000 })
    await database.withoutLimits(async db => {
      expect((await sql`select pg_sleep(1.2)`.execute(db)).rows).toHaveLength(1)
    })
  })

  it('fails when the connection was cut and no answer comes, and the next one succeeds once the network works again', async () => {
    const { databaseUrl } = await openLimited({})
    const proxy = await startCuttableProxy(databaseUrl)
    const database = await connectDatabase({
      databaseUrl: proxy.databaseUrl,
      dataDir: '',
      timeoutMs: poolTimeoutMs,
      limits: { ...noLimits, answerMs: 5_000 },
    })
    closings.push(() => database.close())
    expect((await sql`select 1 as one`.execute(database.db)).rows).toHaveLength(1)
    proxy.cut()
    const error = await thrownBy(sql`select 1`.execute(database.db))
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(isDatabaseOutage(error)).toBe(true)
    proxy.mend()
    expect((await sql`select 2 as two`.execute(database.db)).rows).toEqual([{ two: 2 }])
  })
})

describe('isDatabaseOutage', () => {
  it('is true when the database refuses a connection, stops, has no space or accepts no writes', async () => {
    const nowhere = new Client({ host: '127.0.0.1', port: 1 })
    expect(isDatabaseOutage(await thrownBy(nowhere.connect()))).toBe(true)
    for (const code of ['53100', '53300', '57P01', '08006', '25006'])
      expect(isDatabaseOutage(Object.assign(new Error('stopped'), { code }))).toBe(true)
  })

  it.each([
    ['ECONNREFUSED', 'connect'],
    ['ECONNRESET', 'read'],
    ['ECONNABORTED', 'read'],
    ['EPIPE', 'write'],
    ['ETIMEDOUT', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['EHOSTDOWN', 'connect'],
    ['ENETUNREACH', 'connect'],
    ['ENETDOWN', 'connect'],
    ['ENETRESET', 'read'],
    ['EADDRNOTAVAIL', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
    ['EAI_AGAIN', 'getaddrinfo'],
    ['EAI_FAIL', 'getaddrinfo'],
    // A stopped PostgreSQL removes its Unix socket.
    ['ENOENT', 'connect'],
  ])(
    'is true for the network error %s of %s; a failed start explains it, unless it is of read or write (D92, D93)',
    (code, syscall) => {
      const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
      expect(isDatabaseOutage(error)).toBe(true)
      const settings = { databaseUrl: 'postgres://db.example/portal', dataDir: '' }
      if (syscall !== 'read' && syscall !== 'write')
        expect(explainDatabaseFailure(error, settings)).toContain('db.example')
      else expect(explainDatabaseFailure(error, settings)).toBeUndefined()
    },
  )

  it.each(['timeout expired', 'There was an error establishing an SSL connection'])(
    'is true for the error of the driver "%s"',
    message => expect(isDatabaseOutage(new Error(message))).toBe(true),
  )

  it('is false for a file that is missing', () => {
    const error = Object.assign(new Error('open ENOENT'), { code: 'ENOENT', syscall: 'open' })
    expect(isDatabaseOutage(error)).toBe(false)
  })

  it('is false for a fault of the statement and for other errors', async () => {
    const { db } = await openLimited({})
    expect(isDatabaseOutage(await thrownBy(sql`select 1 / 0`.execute(db)))).toBe(false)
    expect(isDatabaseOutage(await thrownBy(sql`select missing`.execute(db)))).toBe(false)
    expect(isDatabaseOutage(new TypeError('x is undefined'))).toBe(false)
    expect(isDatabaseOutage(undefined)).toBe(false)
  })
})

/** A proxy that can drop all bytes, as a broken network does: no connection is closed, and nothing arrives. */
async function startCuttableProxy(databaseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cuttable-'))
  const url = new URL(databaseUrl)
  const upstream = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  let isCut = false
  const server: Server = createServer(client => {
    const database = createConnection(upstream)
    client.on('data', bytes => isCut || database.write(bytes))
    database.on('data', bytes => isCut || client.write(bytes))
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  await new Promise<void>(resolve => {
    server.listen(join(folder, '.s.PGSQL.5432'), resolve)
  })
  closings.push(async () => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    databaseUrl: url.href,
    cut: () => (isCut = true),
    mend: () => (isCut = false),
  }
}
