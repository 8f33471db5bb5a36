import { setTimeout as pause } from 'node:timers/promises'
import { connectDatabase } from '#server/database/connect.ts'
import { quantile } from '#support/checks/quantile.ts'
import { openLargeOffice } from '#support/data/paying-applicants.ts'
import { journeySettings, newCount, openGateway, runApplicants } from './applicants.ts'
import { type BenchServer, makeFolder, startServer } from './processes.ts'

export type JourneyFigures = {
  processes: number
  journeysPerMinute: number
  requestsPerSecond: number
  /** `p50Ms`, `p95Ms` and `p99Ms`: of the time of a request. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  errors: number
  /**
   * Answers 503 with a time for the next try, which the applicant keeps to, as the portal does (D92). Neither the
   * requests for each second nor the percentiles contain them.
   */
  busyAnswers: number
  /** RAM of the first process: after 30 s, or after a third of the run if that is sooner; and at the end of the run. */
  warmMiB: number
  endMiB: number
}

const applicants = 100

/** Runs the whole journey with 100 applicants at once. Measures how many journeys end, and the time of each request. */
export async function benchJourneys(
  databaseUrl: string,
  { minutes, processes }: { minutes: number; processes: number },
): Promise<JourneyFigures> {
  const folders = Array.from({ length: processes }, makeFolder)
  const gateway = await openGateway()
  const servers: BenchServer[] = []
  try {
    // One after the other: the first one creates the tables.
    for (const { path } of folders)
      servers.push(await startServer({ DATABASE_URL: databaseUrl, ...journeySettings(path, gateway.url) }))
    const database = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 1 })
    await openLargeOffice(database.db)
    await database.close()
    const count = newCount()
    const seconds = minutes * 60
    const [server] = servers
    // Awaited together: a rejection that nothing awaits yet would end the process before `finally` stops the servers.
    const [warmMiB] = await Promise.all([
      pause(Math.min(30, seconds / 3) * 1_000).then(() => server?.residentMiB() ?? Number.NaN),
      runApplicants(
        {
          nextOrigin: takeTurns(servers.map(({ origin }) => origin)),
          codes: gateway.codes,
          count,
          until: performance.now() + seconds * 1_000,
        },
        { applicants },
      ),
    ])
    const sorted = count.milliseconds.toSorted((one, other) => one - other)
    return {
      processes,
      journeysPerMinute: count.journeys / minutes,
      requestsPerSecond: sorted.length / seconds,
      p50Ms: quantile(sorted, 0.5),
      p95Ms: quantile(sorted, 0.95),
      p99Ms: quantile(sorted, 0.99),
      errors: count.errors.length,
      busyAnswers: count.busyAnswers,
      warmMiB,
      endMiB: server?.residentMiB() ?? Number.NaN,
    }
  } finally {
    for (const server of servers) await server.stop()
    gateway.close()
    for (const folder of folders) folder.remove()
  }
}

/** Returns a function that returns the origins in turn, again and again. */
function takeTurns(origins: readonly string[]): () => string {
  let turn = 0
  return () => origins[turn++ % origins.length] ?? ''
}
