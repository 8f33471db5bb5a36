import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { apiRoot } from '#contract/codes.ts'
import { encryptionPlugin } from '#server/config/data-keys.ts'
import { columnValues } from '#server/database/column-values.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { PreparingClient } from '#server/database/preparing-client.ts'
import type { Schema } from '#server/database/schema.ts'
import { statesBefore } from '#contract/states.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { holdPlace } from '#server/features/appointments/hold-place.ts'
import { bookableOpening } from '#server/features/offices/calendar.ts'
import { findOffice, type FoundOffice } from '#server/features/offices/find-office.ts'
import type { Services } from '#server/calls/services.ts'
import {
  largeOfficeCapacity,
  largeOfficeId,
  createApplicants,
  openLargeOffice,
  type SeededApplicant,
} from '#support/data/paying-applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { cpuOfPgbench, cpuOfPostgresql, cpuOfThisProcess, findPostmaster } from './linux-processes.ts'
import { openRawHttpClient, type RawHttpClient } from './raw-http-client.ts'
import { makeFolder, startServer } from './processes.ts'

/** `cpuMicroseconds`: CPU time of client or server and of PostgreSQL for one booking; other load hardly changes it. */
export type BookingRate = { perSecond: number; cpuMicroseconds: number }
export type BookingRates = { pgbench: BookingRate[]; dataLayer: BookingRate[]; http: BookingRate[] }

const bookerCount = 4_000
const connections = 10
const slotsPerDay = 72
const dayCount = 40
const parallelBookers = 32
/** A freed place becomes bookable within this time. With the default minute, this benchmark would run out of places. */
const settings = { FREED_PLACE_SECONDS: '10' }
/** Bookings of each kind of warm-up. A fixed time instead of a number would be too short on a slow machine. */
const warmUpBookings = 6_000

/**
 * Measures the same booking in three ways, in turns on one database: the prepared statements by pgbench, the data layer
 * in this process, and a server process over HTTP. Each booking reserves one of 57,600 places for a random applicant
 * and releases the place that this applicant reserved before.
 */
export async function benchBookings(
  databaseUrl: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<BookingRates> {
  const folder = makeFolder()
  const server = await startServer({ ...settings, DATABASE_URL: databaseUrl, DATA_DIR: folder.path })
  const database = await connectDatabase({ databaseUrl, dataDir: '', poolSize: connections })
  const clients = Array.from({ length: parallelBookers }, () => openRawHttpClient(server.origin))
  try {
    const { db } = database
    await openLargeOffice(db)
    await createEveryPlace(db)
    const applicants = await createApplicants(db, bookerCount)
    await numberApplicants(db)
    const services = await servicesOn(db, { env: settings })
    const postmaster = await findPostmaster(db)
    const measure = async (cpuOfClient: () => number, run: () => Promise<number>): Promise<BookingRate> => {
      const cpu = () => cpuOfClient() + cpuOfPostgresql(postmaster)
      const before = cpu()
      const perSecond = await run()
      return { perSecond, cpuMicroseconds: (cpu() - before) / (perSecond * seconds) }
    }
    const [first] = applicants
    if (!first) throw new Error('Expected at least one applicant')
    const script = join(folder.path, 'booking.sql')
    const office = await findOffice(db, String(largeOfficeId))
    if (!office) throw new Error('Expected the office')
    writeFileSync(script, await writeScript(databaseUrl, { services, office, applicant: first }))
    const directly = Array.from(
      { length: connections },
      () => () => bookDirectly(services, office, pickRandom(applicants)),
    )
    const overHttp = clients.map(client => () => bookOverHttp(client, pickRandom(applicants)))
    // Warm up, so that the comparison does not include the start.
    await bookUntil({ bookings: warmUpBookings }, directly)
    await bookUntil({ bookings: warmUpBookings }, overHttp)
    // PostgreSQL made its plans while the tables of bookings and keys were empty. This discards them, as autovacuum
    // does later.
    await sql`vacuum analyze`.execute(db)
    const rates: BookingRates = { pgbench: [], dataLayer: [], http: [] }
    for (let round = 0; round < rounds; round += 1) {
      rates.pgbench.push(
        await measure(cpuOfPgbench, () =>
          rateOfBookings(db, seconds, () => runPgbench(databaseUrl, script, seconds)),
        ),
      )
      rates.dataLayer.push(await measure(cpuOfThisProcess, () => bookUntil({ seconds }, directly)))
      rates.http.push(await measure(server.cpuMicroseconds, () => bookUntil({ seconds }, overHttp)))
      await sql`vacuum analyze`.execute(db)
    }
    return rates
  } finally {
    for (const client of clients) client.close()
    await database.close()
    await server.stop()
    folder.remove()
  }
}

/** Creates all slots and places, so that no measured booking has to create one. */
async function createEveryPlace(db: Kysely<Schema>): Promise<void> {
  await sql`
    insert into slot (office_id, starts_at)
    select ${largeOfficeId}::integer, day + time '08:00' + number * interval '10 minutes'
    from generate_series(${dateInDays(2)}::date, ${dateInDays(1 + dayCount)}::date, interval '1 day') as day,
      generate_series(0, ${slotsPerDay - 1}::integer) as number`.execute(db)
  await sql`
    insert into place (slot_id, seat)
    select id, seat from slot, generate_series(1, ${largeOfficeCapacity}::integer) as seat`.execute(db)
}

/** Numbers the applicants in the table `booker`, because pgbench chooses an applicant by a random number. */
async function numberApplicants(db: Kysely<Schema>): Promise<void> {
  await sql`create table booker as
    select row_number() over () as number, id as application_id, applicant_id
    from application`.execute(db)
  await sql`create unique index on booker (number)`.execute(db)
  await sql`analyze`.execute(db)
}

function pickRandom(applicants: readonly SeededApplicant[]): SeededApplicant {
  const applicant = applicants[Math.floor(Math.random() * applicants.length)]
  if (!applicant) throw new Error('Expected at least one applicant')
  return applicant
}

/** Computed once: formatting a date costs more than the rest of a request. */
const openDays = Array.from({ length: dayCount }, (_, day) => dateInDays(2 + day))

function randomTime(): string {
  const slot = Math.floor(Math.random() * slotsPerDay)
  const hour = String(8 + Math.floor(slot / 6)).padStart(2, '0')
  return `${openDays[Math.floor(Math.random() * dayCount)]}T${hour}:${slot % 6}0:00`
}

/** The data layer: the statement of a booking, without the transaction of a call and its idempotency key. */
async function bookDirectly(
  { db, config, clock }: Services,
  office: FoundOffice,
  { applicantId, applicationId }: SeededApplicant,
  startsAt = randomTime(),
): Promise<boolean> {
  const opening = bookableOpening(office.calendar, startsAt, clock.now())
  const states = statesBefore('appointment-confirmed')
  const replaces = undefined
  const request = { ...config, applicantId, applicationId, states, office, startsAt, opening, replaces }
  return (await retryOnConflict(() => holdPlace(db, request))).kind === 'held'
}

async function bookOverHttp(
  client: RawHttpClient,
  { applicationId, token }: SeededApplicant,
): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  const body = {
    applicationId,
    officeId: String(largeOfficeId),
    appointmentDate: randomTime(),
    generalQueue: false,
  }
  return (await client.post(`${apiRoot}/appointments?lg=fr`, headers, body)).status === 200
}

type BookingLimit = { seconds: number } | { bookings: number }

/** Runs all clients in parallel, each with one booking after the other. Returns the number of bookings in a second. */
async function bookUntil(limit: BookingLimit, clients: readonly (() => Promise<boolean>)[]): Promise<number> {
  const startMs = performance.now()
  let booked = 0
  const isOver = () =>
    'seconds' in limit ? performance.now() - startMs >= limit.seconds * 1_000 : booked >= limit.bookings
  await Promise.all(
    clients.map(async book => {
      while (!isOver()) if (await book()) booked += 1
    }),
  )
  return (booked * 1_000) / (performance.now() - startMs)
}

/** Counts the rows of the table, because pgbench also counts bookings that got no place. */
async function rateOfBookings(db: Kysely<Schema>, seconds: number, run: () => void): Promise<number> {
  const before = await countAppointments(db)
  run()
  return ((await countAppointments(db)) - before) / seconds
}

async function countAppointments(db: Kysely<Schema>): Promise<number> {
  const { count } = await db
    .selectFrom('appointment')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function runPgbench(databaseUrl: string, script: string, seconds: number): void {
  const url = new URL(databaseUrl)
  execFileSync(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(connections),
      '-j',
      '2',
      '-T',
      String(seconds),
      '-f',
      script,
    ].concat(['-h', url.searchParams.get('host') ?? '', '-U', 'postgres', url.pathname.slice(1)]),
    { stdio: 'pipe' },
  )
}

/**
 * Books once to record the statements of `bookDirectly`. Returns them as a script, with pgbench's variables in place of
 * the applicant, the office and the time of this booking.
 *
 * @throws when the booking is refused
 */
async function writeScript(
  databaseUrl: string,
  { services, office, applicant }: { services: Services; office: FoundOffice; applicant: SeededApplicant },
): Promise<string> {
  const queries: CompiledQuery[] = []
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 1,
    types: columnValues,
    Client: PreparingClient,
  })
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void queries.push(query),
  })
  const at = `${dateInDays(20)}T12:00:00`
  const withPlugin = db.withPlugin(encryptionPlugin(services.secrets.dataKeys))
  if (!(await bookDirectly({ ...services, db: withPlugin }, office, applicant, at)))
    throw new Error('The booking was refused')
  await db.destroy()
  const expressions = new Map<unknown, string>([
    [applicant.applicationId, '(select application_id from booker where number = :number)'],
    [applicant.applicantId, '(select applicant_id from booker where number = :number)'],
    [at.slice(0, 10), `(date '${dateInDays(2)}' + :day::integer)`],
    [at, `(date '${dateInDays(2)}' + :day::integer + time '08:00' + :slot::integer * interval '10 minutes')`],
  ])
  return [
    // Clients share no applicant: two bookings of one application may conflict, and pgbench does not retry as the
    // portal does.
    `\\set number :client_id * ${bookerCount / connections} + random(1, ${bookerCount / connections})`,
    `\\set day random(0, ${dayCount - 1})`,
    `\\set slot random(0, ${slotsPerDay - 1})`,
    `\\set office ${largeOfficeId}`,
    ...queries.map(query => toScript(query, expressions)),
    '',
  ].join('\n')
}

function toScript({ sql: text, parameters }: CompiledQuery, expressions: Map<unknown, string>): string {
  const statement = text.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const value = parameters[Number(position) - 1]
    const expression = expressions.get(value)
    if (expression !== undefined) return expression
    if (value === largeOfficeId) return ':office::integer'
    if (typeof value === 'string') return isUuid(value) ? 'gen_random_uuid()' : `'${value}'`
    if (Array.isArray(value)) return `array['${value.join("', '")}']`
    return JSON.stringify(value)
  })
  return `${statement.replaceAll(/\s+/g, ' ').trim()};`
}
