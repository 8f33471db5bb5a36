import { randomUUID } from 'node:crypto'
import { apiRoot } from '#contract/codes.ts'
import { connectDatabase } from '#server/database/connect.ts'
import { busyOfficeId, createApplicants, openBusyOffice } from '#support/data/paying-applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { openRawHttpClient } from './raw-http-client.ts'
import { type BenchServer, makeFolder, startServer } from './processes.ts'

/** `askedLater`: answers 503, after which the booker asks again. */
export type ReleaseDay = {
  bookers: number
  booked: number
  p50Ms: number
  p95Ms: number
  lastMs: number
  askedLater: number
}

/**
 * The bookers have signed in before the places are released: a token that is older than two minutes costs no write at its
 * first use.
 */
const signedInSecondsAgo = 300

/** The middle of the random `Retry-After` of a busy process. */
const retryAfterMs = 10_000

/**
 * All bookers want the same slot of 20 places at the same moment, at all processes alike. The figures are about the
 * losers: how long each waits until it knows that the time is taken, with the waits after 503.
 */
export async function benchReleaseDay(
  databaseUrl: string,
  { processes, bookers }: { processes: number; bookers: readonly number[] },
): Promise<ReleaseDay[]> {
  const folders = Array.from({ length: processes }, makeFolder)
  const servers: BenchServer[] = []
  // One after the other: the first one creates the tables.
  for (const { path } of folders)
    servers.push(await startServer({ DATABASE_URL: databaseUrl, DATA_DIR: path }))
  const database = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 2 })
  try {
    await openBusyOffice(database.db)
    const days: ReleaseDay[] = []
    for (const [index, count] of [20, ...bookers].entries()) {
      const at = `${dateInDays(3 + index)}T09:00:00`
      const day = await playReleaseDay(
        servers,
        at,
        await createApplicants(database.db, count, { signedInSecondsAgo }),
      )
      // The first one warms up.
      if (index > 0) days.push(day)
    }
    return days
  } finally {
    await database.close()
    for (const server of servers) await server.stop()
    for (const folder of folders) folder.remove()
  }
}

async function playReleaseDay(
  servers: readonly BenchServer[],
  appointmentDate: string,
  applicants: Awaited<ReturnType<typeof createApplicants>>,
): Promise<ReleaseDay> {
  const clients = applicants.map((_, index) =>
    openRawHttpClient(servers[index % servers.length]?.origin ?? ''),
  )
  let askedLater = 0
  const startMs = performance.now()
  const answers = await Promise.all(
    applicants.map(async ({ token, applicationId }, index) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      }
      const body = { applicationId, officeId: String(busyOfficeId), appointmentDate, generalQueue: false }
      for (;;) {
        const status = await clients[index]?.post(`${apiRoot}/appointments?lg=fr`, headers, body)
        if (status !== 503) return { status, ms: performance.now() - startMs }
        askedLater += 1
        await new Promise(resolve => setTimeout(resolve, retryAfterMs))
      }
    }),
  )
  for (const client of clients) client.close()
  const losers = answers.filter(({ status }) => status !== 200).map(({ ms }) => ms)
  const sorted = losers.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const booked = answers.length - losers.length
  return { bookers: answers.length, booked, p50Ms: at(0.5), p95Ms: at(0.95), lastMs: at(1), askedLater }
}
