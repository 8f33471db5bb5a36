import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { type Postgresql, startPostgresql } from '#support/servers/postgresql.ts'
import { benchBookings, type BookingRate, type BookingRates } from './bench-bookings.ts'
import { benchJourneys, type JourneyFigures } from './bench-journeys.ts'
import { buildServer } from './processes.ts'
import { benchStarts, type StartFigures } from './starts.ts'

type Row = { what: string; measured: string; goal: string }

/** Everything in one run on one PostgreSQL, which syncs to its disk. */
export async function main(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      minutes: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '4' },
    },
  })
  buildServer()
  const busy = loadavg()[0] ?? 0
  const postgresql = await startPostgresql({ durable: true })
  try {
    const bookings = await createDatabase(postgresql, 'bookings')
    const rates = await benchBookings(bookings, {
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
    })
    const journeys = await benchJourneys(bookings, Number(values.minutes))
    const embedded = await benchStarts({})
    const onPostgresql = await benchStarts({ DATABASE_URL: await createDatabase(postgresql, 'starts') })
    const rows = [
      ...rowsOfBookings(rates),
      ...rowsOfJourneys(journeys),
      ...rowsOfStarts(embedded, onPostgresql),
    ]
    const machine = `${postgresql.label}, Node ${process.versions.node}, ${availableParallelism()} cores, load before ${busy.toFixed(1)}`
    report(rows, machine)
  } finally {
    await postgresql.stop()
  }
}

async function createDatabase(postgresql: Postgresql, name: string): Promise<string> {
  const client = new Client({ connectionString: postgresql.url('postgres') })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return postgresql.url(name)
}

function rowsOfBookings({ pgbench, dataLayer, http }: BookingRates): Row[] {
  const share = (rates: BookingRate[]) =>
    median(
      rates.map(({ perSecond }, round) => perSecond / (pgbench[round]?.perSecond ?? Number.NaN)),
    ).toFixed(2)
  return [
    { what: 'bookings/s, pgbench -M prepared', measured: rateOf(pgbench), goal: '' },
    { what: 'bookings/s, data layer', measured: rateOf(dataLayer), goal: '' },
    { what: 'bookings/s, HTTP', measured: rateOf(http), goal: '' },
    { what: 'data layer ÷ pgbench', measured: share(dataLayer), goal: '≥ 0.70' },
    { what: 'HTTP ÷ pgbench', measured: share(http), goal: '≥ 0.35' },
    { what: 'CPU of a booking, pgbench', measured: `${cpuOf(pgbench)} µs`, goal: '' },
    { what: 'CPU of a booking, data layer', measured: `${cpuOf(dataLayer)} µs`, goal: '' },
    { what: 'CPU of a booking, HTTP', measured: `${cpuOf(http)} µs`, goal: '' },
  ]
}

function rateOf(rates: BookingRate[]): string {
  return median(rates.map(({ perSecond }) => perSecond)).toFixed(0)
}

function cpuOf(rates: BookingRate[]): string {
  return median(rates.map(({ microseconds }) => microseconds)).toFixed(0)
}

function rowsOfJourneys(figures: JourneyFigures): Row[] {
  const { megabytesWarm, megabytesEnd } = figures
  return [
    { what: 'whole journeys of 100 applicants', measured: String(figures.journeys), goal: '' },
    { what: 'requests/s', measured: figures.requestsPerSecond.toFixed(0), goal: '' },
    { what: 'p95', measured: `${figures.p95.toFixed(0)} ms`, goal: '' },
    { what: 'p99', measured: `${figures.p99.toFixed(0)} ms`, goal: '' },
    { what: 'errors', measured: String(figures.errors), goal: '0' },
    {
      what: 'memory, warm → end',
      measured: `${megabytesWarm.toFixed(0)} → ${megabytesEnd.toFixed(0)} MB`,
      goal: '',
    },
  ]
}

function rowsOfStarts(embedded: StartFigures, onPostgresql: StartFigures): Row[] {
  return [
    { what: 'first start, embedded', measured: seconds(embedded.firstSeconds), goal: '≤ 10 s' },
    { what: 'later start, embedded', measured: seconds(embedded.laterSeconds), goal: '≤ 3 s' },
    { what: 'first start, PostgreSQL', measured: seconds(onPostgresql.firstSeconds), goal: '' },
    { what: 'later start, PostgreSQL', measured: seconds(onPostgresql.laterSeconds), goal: '' },
    { what: 'memory at rest, embedded', measured: megabytes(embedded.restingMegabytes), goal: '≤ 450 MB' },
    {
      what: 'memory at rest, PostgreSQL',
      measured: megabytes(onPostgresql.restingMegabytes),
      goal: '≤ 150 MB',
    },
  ]
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`
}

function report(rows: Row[], machine: string): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  const lines = rows.map(
    ({ what, measured, goal }) => `${what.padEnd(width)}  ${measured.padEnd(16)}  ${goal}`,
  )
  process.stdout.write(`\n${machine}\n\n${lines.join('\n')}\n`)
  const table = rows.map(({ what, measured, goal }) => `| ${what} | ${measured} | ${goal} |`)
  mkdirSync('bench', { recursive: true })
  const head = [`# The server, measured`, '', machine, '', '| what | measured | goal |', '|---|--:|--:|']
  writeFileSync('bench/server.md', [...head, ...table, ''].join('\n'))
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
