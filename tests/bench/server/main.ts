import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { medianOf } from '#support/checks/quantile.ts'
import { type Postgresql, startPostgresql } from '#support/servers/postgresql.ts'
import { benchBookings, type BookingRate, type BookingRates } from './bench-bookings.ts'
import { benchPages, type PageFigures } from './bench-pages.ts'
import { benchReleaseDay, type ReleaseDay } from './bench-release-day.ts'
import { memoryTrend } from '../figures/memory-trend.ts'
import { benchJourneys, type JourneyFigures } from './bench-journeys.ts'
import { benchLargeTables, type LargeTables } from './bench-large-tables.ts'
import { benchSoak, type MemorySeries, shortestSoakMinutes, type SoakFigures } from './bench-soak.ts'
import { buildServer } from './processes.ts'
import { benchStarts, type StartFigures } from './starts.ts'

const releaseDay = { processes: 3, bookers: [1_000, 2_000] }

type Row = { name: string; measured: string; goal: string }

/**
 * Runs the usual benchmarks on one PostgreSQL that syncs to disk. `--only` with the name of a part runs that part alone, to
 * compare before and after a change. `--only soak --minutes 34` tells whether the memory grows. `--applications 1000000` runs
 * only the benchmark of large tables, with so many applications.
 *
 * @throws when `--only` names no part, before anything is built or started
 */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '4' },
      applications: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const parts = chooseParts(values)
  // Before the build, which is work of the benchmark itself.
  const load = loadavg()[0] ?? 0
  buildServer()
  const postgresql = await startPostgresql({ durable: true })
  const machine = `${postgresql.label}, Node ${process.versions.node}, ${availableParallelism()} cores, load before ${load.toFixed(1)}`
  try {
    const rows: Row[] = []
    for (const { run } of parts) rows.push(...(await run(name => createDatabase(postgresql, name))))
    report(rows, machine)
  } finally {
    await postgresql.stop()
  }
}

/** The values of the command line. `seconds`: of one round of bookings. */
type Settings = {
  minutes: string
  seconds: string
  rounds: string
  applications?: string | undefined
  only?: string | undefined
}

/** `createDatabase` creates an empty database and returns its URL. */
type Part = { name: string; run: (createDatabase: (name: string) => Promise<string>) => Promise<Row[]> }

function chooseParts({ minutes, seconds, rounds, applications, only }: Settings): Part[] {
  const usual = usualParts({ minutes: Number(minutes), rounds: Number(rounds), seconds: Number(seconds) })
  if (only !== undefined) {
    const all = [...usual, soakPart(Number(minutes))]
    const part = all.find(({ name }) => name === only)
    if (part !== undefined) return [part]
    throw new Error(`--only ${only} is unknown. Use ${all.map(({ name }) => name).join(', ')}.`)
  }
  return applications === undefined ? usual : [largeTablesPart(Number(applications))]
}

type UsualSettings = { minutes: number; rounds: number; seconds: number }

function usualParts({ minutes, rounds, seconds }: UsualSettings): Part[] {
  return [
    {
      name: 'bookings',
      run: async create => rowsOfBookings(await benchBookings(await create('bookings'), { rounds, seconds })),
    },
    {
      name: 'journeys',
      async run(create) {
        const rows: Row[] = []
        for (const processes of [1, 3])
          rows.push(
            ...rowsOfJourneys(
              await benchJourneys(await create(`journeys_${processes}`), { minutes, processes }),
            ),
          )
        return rows
      },
    },
    {
      name: 'release-days',
      run: async create =>
        (await benchReleaseDay(await create('release'), releaseDay)).flatMap(rowsOfReleaseDay),
    },
    {
      name: 'starts',
      run: async create =>
        rowsOfStarts(await benchStarts({}), await benchStarts({ DATABASE_URL: await create('starts') })),
    },
    {
      name: 'pages',
      run: async create => rowsOfPages(await benchPages({ DATABASE_URL: await create('pages') })),
    },
  ]
}

function soakPart(minutes: number): Part {
  return {
    name: 'soak',
    async run(create) {
      const rows = rowsOfSoak(await benchSoak(await create('soak'), minutes))
      return minutes < shortestSoakMinutes ? [tooShort, ...rows] : rows
    },
  }
}

const tooShort: Row = {
  name: 'too short: the caches of the server still fill',
  measured: '',
  goal: `--minutes ${shortestSoakMinutes} or more`,
}

function largeTablesPart(applications: number): Part {
  return {
    name: 'large-tables',
    run: async create => rowsOfLargeTables(await benchLargeTables(await create('large'), applications)),
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
    medianOf(
      rates.map(({ perSecond }, round) => perSecond / (pgbench[round]?.perSecond ?? Number.NaN)),
    ).toFixed(2)
  return [
    { name: 'bookings/s, pgbench -M prepared', measured: rateOf(pgbench), goal: '' },
    { name: 'bookings/s, data layer', measured: rateOf(dataLayer), goal: '' },
    { name: 'bookings/s, HTTP', measured: rateOf(http), goal: '' },
    { name: 'data layer ÷ pgbench', measured: share(dataLayer), goal: '≥ 0.70' },
    { name: 'HTTP ÷ pgbench', measured: share(http), goal: '≥ 0.35' },
    { name: 'CPU of a booking, pgbench', measured: `${cpuOf(pgbench)} µs`, goal: '' },
    { name: 'CPU of a booking, data layer', measured: `${cpuOf(dataLayer)} µs`, goal: '' },
    { name: 'CPU of a booking, HTTP', measured: `${cpuOf(http)} µs`, goal: '' },
  ]
}

function rateOf(rates: BookingRate[]): string {
  return medianOf(rates.map(({ perSecond }) => perSecond)).toFixed(0)
}

function cpuOf(rates: BookingRate[]): string {
  return medianOf(rates.map(({ cpuMicroseconds }) => cpuMicroseconds)).toFixed(0)
}

function rowsOfJourneys(figures: JourneyFigures): Row[] {
  const { processes, p50Ms, p95Ms, p99Ms, megabytesWarm, megabytesEnd } = figures
  const name = `100 applicants at ${processes} process${processes === 1 ? '' : 'es'}`
  const times = [p50Ms, p95Ms, p99Ms].map(ms => `${ms.toFixed(0)} ms`).join(', ')
  return [
    { name: `${name}, journeys a minute`, measured: figures.journeysPerMinute.toFixed(0), goal: '' },
    { name: `${name}, requests/s`, measured: figures.requestsPerSecond.toFixed(0), goal: '' },
    { name: `${name}, p50, p95, p99 of a request`, measured: times, goal: '' },
    { name: `${name}, errors`, measured: String(figures.errors), goal: '0' },
    { name: `${name}, busy answers (503)`, measured: String(figures.busyAnswers), goal: '' },
    {
      name: `${name}, memory of one, warm → end`,
      measured: `${megabytesWarm.toFixed(0)} → ${megabytesEnd.toFixed(0)} MB`,
      goal: '',
    },
  ]
}

/** Counts journeys, requests and errors of the whole soak, and the memory of its second half. */
function rowsOfSoak({ journeys, series, errors, requestsPerSecond }: SoakFigures): Row[] {
  for (const { name, samples } of series) {
    const everyMinute = samples.filter((_, index) => index % 2 === 1)
    process.stdout.write(
      `${name}, MB, each minute: ${everyMinute.map(({ megabytes: value }) => value.toFixed(1)).join(' ')}\n`,
    )
  }
  return [
    { name: 'journeys', measured: journeys.toFixed(0), goal: '' },
    { name: 'requests/s', measured: requestsPerSecond.toFixed(0), goal: '' },
    { name: 'errors', measured: String(errors), goal: '0' },
    ...series.flatMap(rowsOfSeries),
  ]
}

/** Leaves out the first half, in which the caches of the server fill and V8 compiles. */
function rowsOfSeries({ name, samples }: MemorySeries): Row[] {
  const warm = samples.slice(Math.floor(samples.length / 2))
  const { growthMegabytes, noiseMegabytes, isFlat } = memoryTrend(warm)
  const values = warm.map(({ megabytes: value }) => value)
  return [
    {
      name: `${name}, least → most`,
      measured: `${Math.min(...values).toFixed(1)} → ${Math.max(...values).toFixed(1)} MB`,
      goal: '',
    },
    {
      name: `${name}, growth in ${warm.length} samples`,
      measured: `${growthMegabytes.toFixed(2)} MB${isFlat ? '' : ' (more than the noise)'}`,
      goal: `≤ ${(2 * noiseMegabytes).toFixed(2)} MB, twice the noise`,
    },
  ]
}

function rowsOfReleaseDay(day: ReleaseDay): Row[] {
  const name = `${day.bookers} bookers for 20 places at ${releaseDay.processes} processes`
  return [
    { name: `${name}, booked`, measured: String(day.booked), goal: '20' },
    {
      name: `${name}, losers p50, p95, last`,
      measured: [day.p50Ms, day.p95Ms, day.lastMs].map(ms => `${ms.toFixed(0)} ms`).join(', '),
      goal: 'p95 ≤ 2,000 ms',
    },
    { name: `${name}, busy answers (503)`, measured: String(day.busyAnswers), goal: '' },
    { name: `${name}, failures`, measured: String(day.failures), goal: '0' },
  ]
}

function rowsOfStarts(embedded: StartFigures, onPostgresql: StartFigures): Row[] {
  return [
    { name: 'first start, embedded', measured: inSeconds(embedded.firstSeconds), goal: '≤ 10 s' },
    {
      name: 'later start, embedded, fastest of three',
      measured: inSeconds(embedded.laterSeconds),
      goal: '≤ 3 s',
    },
    { name: 'first start, PostgreSQL', measured: inSeconds(onPostgresql.firstSeconds), goal: '' },
    {
      name: 'later start, PostgreSQL, fastest of three',
      measured: inSeconds(onPostgresql.laterSeconds),
      goal: '',
    },
    { name: 'idle memory, embedded', measured: megabytes(embedded.idleMegabytes), goal: '≤ 450 MB' },
    {
      name: 'idle memory, PostgreSQL',
      measured: megabytes(onPostgresql.idleMegabytes),
      goal: '≤ 150 MB',
    },
  ]
}

function rowsOfPages(pages: PageFigures[]): Row[] {
  return pages.map(({ path, medianMs, p95Ms }) => ({
    name: `first byte of ${path}, median, p95`,
    measured: `${milliseconds(medianMs)}, ${milliseconds(p95Ms)}`,
    goal: '≤ 5 ms',
  }))
}

function rowsOfLargeTables({ calls, jobs, bytesPerApplication, tables }: LargeTables): Row[] {
  return [
    ...calls.map(({ name, p50Ms, p95Ms }) => ({
      name: `${name}, p50, p95`,
      measured: `${milliseconds(p50Ms)}, ${milliseconds(p95Ms)}`,
      goal: '',
    })),
    ...jobs.map(({ name, firstMs, secondMs }) => ({
      name: `job: ${name}, first and second run`,
      measured: `${milliseconds(firstMs)}, ${milliseconds(secondMs)}`,
      goal: '',
    })),
    { name: 'bytes of an application in all tables', measured: bytesPerApplication.toFixed(0), goal: '' },
    ...tables.map(({ name, rows, bytesPerRow }) => ({
      name: `bytes of a row of ${name} (${rows.toFixed(0)} rows)`,
      measured: bytesPerRow.toFixed(0),
      goal: '',
    })),
  ]
}

function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`
}

function inSeconds(value: number): string {
  return `${value.toFixed(1)} s`
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`
}

function report(rows: Row[], machine: string): void {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(
    ({ name, measured, goal }) => `${name.padEnd(width)}  ${measured.padEnd(16)}  ${goal}`,
  )
  process.stdout.write(`\n${machine}\n\n${lines.join('\n')}\n`)
  const table = rows.map(({ name, measured, goal }) => `| ${name} | ${measured} | ${goal} |`)
  mkdirSync('bench', { recursive: true })
  const head = [`# Benchmark of the server`, '', machine, '', '| figure | measured | goal |', '|---|--:|--:|']
  writeFileSync('bench/server.md', [...head, ...table, ''].join('\n'))
}
