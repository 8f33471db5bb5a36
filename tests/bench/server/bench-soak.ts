import { setTimeout as pause } from 'node:timers/promises'
import { connectDatabase } from '#server/database/connect.ts'
import { openLargeOffice } from '#support/data/paying-applicants.ts'
import type { MemorySample } from '../figures/memory-trend.ts'
import { journeySettings, newCount, openGateway, runApplicants } from './applicants.ts'
import { findPostmaster, memoryOfPostgresql } from './linux-processes.ts'
import { type BenchServer, makeFolder, startServer } from './processes.ts'

/** The memory of one part over the time of the soak, sampled `samplesPerMinute` times a minute. */
export type MemorySeries = { name: string; samples: MemorySample[] }

export type SoakFigures = {
  journeys: number
  requestsPerSecond: number
  errors: number
  series: MemorySeries[]
}

/**
 * Of all that leaves the memory again, a verified token stays longest: up to 16 minutes after its sign-in
 * (server/features/session/access-token.ts). The number of tokens rises until then, so the report judges the memory of
 * the second half alone.
 */
export const shortestSoakMinutes = 32

export const samplesPerMinute = 2
const sampleEveryMs = 60_000 / samplesPerMinute
const applicantsOfEach = 10
const bytesPerMiB = 2 ** 20

/**
 * Runs two processes on one PostgreSQL, each with 10 applicants who go through the journey again and again. One process
 * runs without V8's optimising compilers, and its garbage is collected at each sample: the figures after a collection
 * show what it keeps. The other process is left alone: its samples show how much RAM a usual process takes.
 */
export async function benchSoak(databaseUrl: string, minutes: number): Promise<SoakFigures> {
  const folders = [makeFolder(), makeFolder()] as const
  const gateway = await openGateway()
  const servers: BenchServer[] = []
  const start = async (folder: { path: string }, options: { probe: boolean }) => {
    const settings = { DATABASE_URL: databaseUrl, ...journeySettings(folder.path, gateway.url) }
    const server = await startServer(settings, options)
    servers.push(server)
    return server
  }
  try {
    // One after the other: the first one creates the tables.
    const collected = await start(folders[0], { probe: true })
    const alone = await start(folders[1], { probe: false })
    const { db, close } = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    await openLargeOffice(db)
    const postmaster = await findPostmaster(db)
    await close()
    const until = performance.now() + minutes * 60_000
    const count = newCount()
    const [series] = await Promise.all([
      sampleUntil(until, { collected, alone, postmaster }),
      ...[collected, alone].map(({ origin }, turn) => {
        const context = { nextOrigin: () => origin, codes: gateway.codes, count, until }
        return runApplicants(context, { applicants: applicantsOfEach, first: turn * applicantsOfEach })
      }),
    ])
    return {
      journeys: count.journeys,
      requestsPerSecond: count.milliseconds.length / (minutes * 60),
      errors: count.errors.length,
      series,
    }
  } finally {
    for (const server of servers) await server.stop()
    gateway.close()
    for (const folder of folders) folder.remove()
  }
}

type Processes = { collected: BenchServer; alone: BenchServer; postmaster: number }

async function sampleUntil(untilMs: number, processes: Processes): Promise<MemorySeries[]> {
  const series = new Map<string, MemorySample[]>()
  const startMs = performance.now()
  for (let next = startMs + sampleEveryMs; next < untilMs; next += sampleEveryMs) {
    await pause(next - performance.now())
    const seconds = (performance.now() - startMs) / 1_000
    for (const [name, usedMiB] of await readMemory(processes))
      series.set(name, [...(series.get(name) ?? []), { seconds, usedMiB }])
  }
  return Array.from(series, ([name, samples]) => ({ name, samples }))
}

async function readMemory({ collected, alone, postmaster }: Processes): Promise<[string, number][]> {
  const { residentBefore, workerHeap, after } = await collected.collectGarbage()
  return [
    ['after a collection: heap', after.heapUsed / bytesPerMiB],
    ['after a collection: heap of the thread that draws files', workerHeap / bytesPerMiB],
    ['after a collection: buffers', after.external / bytesPerMiB],
    ['the same process: RAM before the collection', residentBefore / bytesPerMiB],
    ['the process left alone: RAM', alone.residentMiB()],
    ['PostgreSQL, all its processes: RAM', memoryOfPostgresql(postmaster) / bytesPerMiB],
  ]
}
