import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '#server/database/connect.ts'
import type { Schema } from '#server/database/schema.ts'
import { readMyData } from '#server/features/account/my-data.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { deliverDue } from '#server/features/messages/deliver-due.ts'
import { createMetrics } from '#server/monitoring/metrics.ts'
import type { OutgoingMessage } from '#server/integrations/messenger.ts'
import type { Services } from '#server/calls/services.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createApp } from '#server/start/app.ts'
import { createApplicants, openLargeOffice } from '#support/data/paying-applicants.ts'
import { callsOfCancellation, callsOnTables, type Known, newcomer, sendCall } from './calls-on-tables.ts'
import { timeOfDeletions as now, jobsOnTables, noLoad } from './jobs-on-tables.ts'
import { fillTables } from './large-tables.ts'

const applications = isFullRun ? 1_000_000 : 10_000
/** Tables with fewer rows may be read whole. */
const largeTableRows = applications / 20

let database: TestDatabase
let databaseUrl: string
beforeAll(async () => {
  database = await openMigratedDatabase('postgresql')
  await fillTables(database, applications)
  // PostgreSQL rightly reads a table of 10,000 rows whole. So the daily run asks only whether an index could be used.
  databaseUrl = `${database.databaseUrl}${isFullRun ? '' : '&options=-c%20enable_seqscan%3Doff'}`
}, 3_600_000)
afterAll(() => database.close())

/** Counts rows, not scans: a scan that looks whether there is any row stops at the first one. */
const withoutIndex = sql`seq_tup_read`
const inAnyWay = sql`seq_tup_read + coalesce(idx_tup_fetch, 0)`

/** Returns the large tables of which the work reads more than `most` rows, with the number of rows that it reads. */
async function findMuchRead(
  db: Kysely<Schema>,
  work: () => Promise<unknown>,
  { most, read = inAnyWay }: { most: number; read?: typeof inAnyWay },
): Promise<{ table: string; rows: number }[]> {
  const before = await countRows(db, read)
  expect(before.size).toBeGreaterThan(8)
  await work()
  const after = await countRows(db, read)
  return [...after]
    .map(([table, rows]) => ({ table, rows: rows - (before.get(table) ?? 0) }))
    .filter(({ rows }) => rows > most)
}

/** Returns how many rows of each large table were read since the statistics began. */
async function countRows(db: Kysely<Schema>, read: typeof inAnyWay): Promise<Map<string, number>> {
  // Statements of this session reach the statistics only now.
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ table: string; read: number }>`
    select stat.relname as table, (${read})::integer as read
    from pg_stat_user_tables stat join pg_class on pg_class.oid = stat.relid
    where reltuples > ${largeTableRows}`.execute(db)
  return new Map(rows.map(({ table, read: count }) => [table, count]))
}

/** Sends what is due, and returns the code for the newcomer. */
async function deliverCode(services: Services): Promise<string> {
  let code = ''
  const send = async (message: OutgoingMessage) => {
    if (message.to === newcomer) code = message.code ?? ''
    return { kind: 'sent' } as const
  }
  await deliverDue(services, { sms: { send }, email: { send } })
  return code
}

async function findApplicant(db: Kysely<Schema>): Promise<string> {
  const { applicant_id: id } = await db
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', 'phone')
    .where('value', '=', '237600000007')
    .executeTakeFirstOrThrow()
  return id
}

describe(`on ${applications} applications (D95)`, () => {
  it.each(Object.keys(jobsOnTables))(
    '%s reads no large table whole',
    async name => {
      // One connection, so that the statistics of all statements are complete.
      const own = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
      const services = await servicesOn(own.db, { clock: { now: () => now } })
      const run = async () => jobsOnTables[name]?.(services)
      const found = await findMuchRead(own.db, run, { most: 100, read: withoutIndex })
      await own.close()
      expect(found).toEqual([])
    },
    600_000,
  )

  it('the job of the reminders reads at most ten rows of each large table when the due reminders are stored already', async () => {
    const own = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    const services = await servicesOn(own.db, { clock: { now: () => now } })
    await remindDue(services)
    const found = await findMuchRead(own.db, () => remindDue(services), { most: 10 })
    await own.close()
    expect(found).toEqual([])
  }, 600_000)

  it('the figures of the metrics are read from at most one row of each large table for 20 applications (D105)', async () => {
    const own = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    const { readDatabase } = createMetrics(await servicesOn(own.db), noLoad)
    const found = await findMuchRead(own.db, readDatabase, { most: largeTableRows })
    await own.close()
    expect(found).toEqual([])
  })

  it('the data of one account are read from at most 100 rows of each large table (D98)', async () => {
    const own = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    const read = async () =>
      readMyData(await servicesOn(own.db, { clock: { now: () => now } }), await findApplicant(own.db))
    const found = await findMuchRead(own.db, read, { most: 100 })
    await own.close()
    expect(found).toEqual([])
  })

  it('each call of a journey reads at most 100 rows of each large table (D95)', async () => {
    const own = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    await openLargeOffice(own.db)
    const [applicant, other] = await createApplicants(own.db, 2)
    if (applicant === undefined || other === undefined) throw new Error('no applicant')
    const services = await servicesOn(own.db, { env: { CAPTCHA: 'off' } })
    const app = createApp(services)
    await app.ready()
    const known: Known = { draft: '', payment: '', appointment: '', token: '', code: '', cookies: new Map() }
    const found: string[] = []
    const calls = [
      ...callsOnTables(applicant).map(call => ({ call, by: applicant })),
      ...callsOfCancellation(other).map(call => ({ call, by: other })),
    ]
    for (const { call, by } of calls) {
      const send = () => sendCall(app, by, { call, known })
      for (const { table, rows } of await findMuchRead(own.db, send, { most: 100 }))
        found.push(`${call.name}: ${rows} rows of ${table}`)
      if (call.sendsCode) known.code = await deliverCode(services)
    }
    await app.close()
    await own.close()
    expect(found).toEqual([])
  }, 600_000)
})
