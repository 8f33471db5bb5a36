import { medianOf } from '#support/checks/quantile.ts'
import { memoryTrend } from '../figures/memory-trend.ts'
import type { BookingRate, BookingRates } from './bench-bookings.ts'
import type { JourneyFigures } from './bench-journeys.ts'
import type { LargeTables } from './bench-large-tables.ts'
import type { PageFigures } from './bench-pages.ts'
import type { ReleaseDay } from './bench-release-day.ts'
import { type MemorySeries, samplesPerMinute, type SoakFigures } from './bench-soak.ts'
import type { StartFigures } from './starts.ts'

/** One figure of the report. `goal`: '' without one. */
export type Row = { name: string; measured: string; goal: string }

export function rowsOfBookings({ pgbench, dataLayer, http }: BookingRates): Row[] {
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

export function rowsOfJourneys(figures: JourneyFigures): Row[] {
  const { processes, p50Ms, p95Ms, p99Ms, warmMiB, endMiB } = figures
  const name = `100 applicants at ${processes} process${processes === 1 ? '' : 'es'}`
  const times = [p50Ms, p95Ms, p99Ms].map(ms => `${ms.toFixed(0)} ms`).join(', ')
  return [
    { name: `${name}, journeys a minute`, measured: figures.journeysPerMinute.toFixed(0), goal: '' },
    { name: `${name}, requests/s`, measured: figures.requestsPerSecond.toFixed(0), goal: '' },
    { name: `${name}, p50, p95, p99 of a request`, measured: times, goal: '' },
    { name: `${name}, errors`, measured: String(figures.errors), goal: '0' },
    { name: `${name}, busy answers (503)`, measured: String(figures.busyAnswers), goal: '' },
    {
      name: `${name}, memory of one process, warm → end`,
      measured: `${warmMiB.toFixed(0)} → ${endMiB.toFixed(0)} MiB`,
      goal: '',
    },
  ]
}

/**
 * Prints the memory of the whole soak. The rows are the journeys, requests and errors of the whole soak, and the memory
 * of its second half.
 */
export function rowsOfSoak({ journeys, series, errors, requestsPerSecond }: SoakFigures): Row[] {
  for (const { name, samples } of series) {
    const everyMinute = samples.filter((_, index) => (index + 1) % samplesPerMinute === 0)
    process.stdout.write(
      `${name}, MiB, each minute: ${everyMinute.map(({ usedMiB }) => usedMiB.toFixed(1)).join(' ')}\n`,
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
  const { growthMiB, noiseMiB, isFlat } = memoryTrend(warm)
  const values = warm.map(({ usedMiB }) => usedMiB)
  return [
    {
      name: `${name}, least → most`,
      measured: `${Math.min(...values).toFixed(1)} → ${Math.max(...values).toFixed(1)} MiB`,
      goal: '',
    },
    {
      name: `${name}, growth in ${warm.length} samples`,
      measured: `${growthMiB.toFixed(2)} MiB${isFlat ? '' : ' (above the goal)'}`,
      goal: `≤ ${(2 * noiseMiB).toFixed(2)} MiB, twice the noise`,
    },
  ]
}

export function rowsOfReleaseDay(day: ReleaseDay, processes: number): Row[] {
  const { loserTimes } = day
  const name = `${day.bookers} bookers for 20 places at ${processes} processes`
  return [
    { name: `${name}, booked`, measured: String(day.booked), goal: '20' },
    {
      name: `${name}, times of those without a place, p50, p95, slowest`,
      measured: loserTimes
        ? [loserTimes.p50Ms, loserTimes.p95Ms, loserTimes.slowestMs]
            .map(ms => `${ms.toFixed(0)} ms`)
            .join(', ')
        : 'not measured',
      goal: 'p95 ≤ 2,000 ms',
    },
    { name: `${name}, busy answers (503)`, measured: String(day.busyAnswers), goal: '' },
    { name: `${name}, failures`, measured: String(day.failures), goal: '0' },
  ]
}

export function rowsOfStarts(onPglite: StartFigures, onPostgresql: StartFigures): Row[] {
  return [
    { name: 'first start, embedded database', measured: inSeconds(onPglite.firstSeconds), goal: '≤ 10 s' },
    {
      name: 'later start, embedded database, fastest of three',
      measured: inSeconds(onPglite.laterSeconds),
      goal: '≤ 3 s',
    },
    { name: 'first start, PostgreSQL', measured: inSeconds(onPostgresql.firstSeconds), goal: '' },
    {
      name: 'later start, PostgreSQL, fastest of three',
      measured: inSeconds(onPostgresql.laterSeconds),
      goal: '',
    },
    { name: 'idle memory, embedded database', measured: inMiB(onPglite.idleMiB), goal: '≤ 450 MiB' },
    {
      name: 'idle memory, PostgreSQL',
      measured: inMiB(onPostgresql.idleMiB),
      goal: '≤ 150 MiB',
    },
  ]
}

export function rowsOfPages(pages: PageFigures[]): Row[] {
  return pages.map(({ path, medianMs, p95Ms }) => ({
    name: `first byte of ${path}, median, p95`,
    measured: `${milliseconds(medianMs)}, ${milliseconds(p95Ms)}`,
    goal: 'p95 ≤ 5 ms',
  }))
}

export function rowsOfLargeTables({ calls, jobs, bytesPerApplication, tables }: LargeTables): Row[] {
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

function inMiB(value: number): string {
  return `${value.toFixed(0)} MiB`
}
