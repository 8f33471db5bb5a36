import { type Kysely, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { apiRoot } from '#contract/codes.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { migrate } from '#server/database/migrate.ts'
import type { Schema } from '#server/database/schema.ts'
import { quantile } from '#support/checks/quantile.ts'
import { dateInDays } from '#support/data/dates.ts'
import { freePort } from '#support/servers/free-port.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import {
  largeOfficeId,
  createApplicants,
  openLargeOffice,
  type SeededApplicant,
} from '#support/data/paying-applicants.ts'
import { timeOfDeletions, jobsOnTables } from '../../server/jobs/jobs-on-tables.ts'
import { fillTables } from '../../server/jobs/large-tables.ts'
import { makeFolder, startServer } from './processes.ts'

export type LargeTables = {
  /** Times of one call at a time. */
  calls: { name: string; p50Ms: number; p95Ms: number }[]
  /**
   * Durations of the first and of the second run of each job. The first does what is due, so the second finds little or
   * nothing due; but the outbox sends one batch in each run. The entries that only read do the same in both.
   */
  jobs: { name: string; firstMs: number; secondMs: number }[]
  /** The bytes of all tables, with their indexes, divided by the number of applications. */
  bytesPerApplication: number
  /** The bytes of a row with its share of the indexes, of the largest tables. */
  tables: { name: string; rows: number; bytesPerRow: number }[]
}

const callsOfEach = 200

/** Measures calls, jobs and sizes on tables with this number of applications. */
export async function benchLargeTables(databaseUrl: string, applications: number): Promise<LargeTables> {
  const database = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 4 })
  try {
    await migrate(database.db)
    await fillTables(database, applications)
    await openLargeOffice(database.db)
    const size = await readSizes(database.db, applications)
    const applicants = await createApplicants(database.db, callsOfEach)
    const calls = await measureCalls(databaseUrl, applicants)
    return { calls, jobs: await measureJobs(database.db), ...size }
  } finally {
    await database.close()
  }
}

async function measureCalls(databaseUrl: string, applicants: readonly SeededApplicant[]) {
  const folder = makeFolder()
  const metricsPort = String(await freePort())
  const server = await startServer({
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder.path,
    METRICS_PORT: metricsPort,
    JOBS: 'off',
  })
  const api = `${server.origin}${apiRoot}`
  const office = `${api}/appointments/offices/${largeOfficeId}`
  const day = dateInDays(5)
  const hours = ['09', '10', '11', '12', '13', '14', '15', '16', '17', '18']
  const body = ({ applicationId }: SeededApplicant) => {
    const hour = hours[applicants.findIndex(each => each.applicationId === applicationId) % hours.length]
    const appointmentDate = `${day}T${hour}:00:00`
    return JSON.stringify({
      applicationId,
      officeId: String(largeOfficeId),
      appointmentDate,
      generalQueue: false,
    })
  }
  const calls: Record<string, (of: SeededApplicant) => Promise<Response>> = {
    'list of applications': of => get(`${api}/applications?lg=fr`, of),
    'form of an application': of => get(`${api}/applications/${of.applicationId}/data?lg=fr`, of),
    'free dates': of => get(`${office}/available-dates?applicationId=${of.applicationId}`, of),
    'free times': of => get(`${office}/available-slots?date=${day}`, of),
    // Twenty places at each of ten times: every applicant gets one.
    booking: of =>
      fetch(`${api}/appointments?lg=fr`, { method: 'POST', headers: headersOf(of), body: body(of) }),
    'scrape of the metrics': () => fetch(`http://127.0.0.1:${metricsPort}/metrics`),
  }
  try {
    const figures = []
    for (const [name, call] of Object.entries(calls)) figures.push(await measure(name, call, applicants))
    return figures
  } finally {
    await server.stop()
    folder.remove()
  }
}

function get(url: string, of: SeededApplicant): Promise<Response> {
  return fetch(url, { headers: headersOf(of) })
}

function headersOf({ token }: SeededApplicant): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
}

/** One call of each applicant, one after the other. @throws when the server fails or refuses */
async function measure(
  name: string,
  call: (of: SeededApplicant) => Promise<Response>,
  applicants: readonly SeededApplicant[],
) {
  const times: number[] = []
  for (const applicant of applicants) {
    const startMs = performance.now()
    const answer = await call(applicant)
    const text = await answer.text()
    times.push(performance.now() - startMs)
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`)
  }
  const sorted = times.toSorted((one, other) => one - other)
  return { name, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) }
}

async function measureJobs(db: Kysely<Schema>): Promise<LargeTables['jobs']> {
  const services = await servicesOn(db, { clock: { now: () => timeOfDeletions } })
  const figures = []
  for (const [name, run] of Object.entries(jobsOnTables)) {
    const firstMs = await timeOf(() => run(services))
    figures.push({ name, firstMs, secondMs: await timeOf(() => run(services)) })
  }
  return figures
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await run()
  return performance.now() - startMs
}

async function readSizes(db: Kysely<Schema>, applications: number) {
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`
    select relname as name, reltuples::float8 as rows, pg_total_relation_size(oid)::float8 as bytes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    order by bytes desc`.execute(db)
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    bytesPerApplication: all / applications,
    tables: rows
      .slice(0, 8)
      .map(({ name, rows: count, bytes }) => ({ name, rows: count, bytesPerRow: bytes / count })),
  }
}
