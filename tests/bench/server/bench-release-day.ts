import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { apiRoot } from '#contract/codes.ts'
import { connectDatabase } from '#server/database/connect.ts'
import {
  largeOfficeId,
  createApplicants,
  openLargeOffice,
  type SeededApplicant,
} from '#support/data/paying-applicants.ts'
import { quantile } from '#support/checks/quantile.ts'
import { dateInDays } from '#support/data/dates.ts'
import {
  openRawHttpClient,
  type RawAnswer,
  type RawHttpClient,
  retryAfterSeconds,
} from './raw-http-client.ts'
import { type BenchServer, makeFolder, startServer } from './processes.ts'

/**
 * `loserTimes`: of the losers, who get no place; undefined when no booker was told that the time is taken.
 * `busyAnswers`: answers 503 with a time, after which the booker sends the same request again. `failures`: answers that
 * say neither that the time is reserved nor that it is taken.
 */
export type ReleaseDay = {
  bookers: number
  booked: number
  loserTimes: LoserTimes | undefined
  busyAnswers: number
  failures: number
}

type LoserTimes = { p50Ms: number; p95Ms: number; slowestMs: number }

/**
 * The bookers have signed in before the places are released: a token that is older than two minutes costs no write at
 * its first use.
 */
const signedInSecondsAgo = 300

/**
 * Plays a release day for each number in `bookers`: all bookers of the day want the same slot of 20 places at the same
 * moment, at all processes alike. The times are those of the losers: how long each waits until the server says that the
 * time is taken, with the waits after 503.
 */
export async function benchReleaseDay(
  databaseUrl: string,
  { processes, bookers }: { processes: number; bookers: readonly number[] },
): Promise<ReleaseDay[]> {
  const folders = Array.from({ length: processes }, makeFolder)
  const servers: BenchServer[] = []
  try {
    // One after the other: the first one creates the tables.
    for (const { path } of folders)
      servers.push(await startServer({ DATABASE_URL: databaseUrl, DATA_DIR: path }))
    return await playReleaseDays(servers, { databaseUrl, bookers })
  } finally {
    for (const server of servers) await server.stop()
    for (const folder of folders) folder.remove()
  }
}

async function playReleaseDays(
  servers: readonly BenchServer[],
  { databaseUrl, bookers }: { databaseUrl: string; bookers: readonly number[] },
): Promise<ReleaseDay[]> {
  const { db, close } = await connectDatabase({ databaseUrl, dataDir: '', poolSize: 2 })
  try {
    await openLargeOffice(db)
    const days: ReleaseDay[] = []
    for (const [index, count] of [20, ...bookers].entries()) {
      const at = `${dateInDays(3 + index)}T09:00:00`
      const day = await playReleaseDay(servers, at, await createApplicants(db, count, { signedInSecondsAgo }))
      // The first one warms up.
      if (index > 0) days.push(day)
    }
    return days
  } finally {
    await close()
  }
}

async function playReleaseDay(
  servers: readonly BenchServer[],
  appointmentDate: string,
  applicants: readonly SeededApplicant[],
): Promise<ReleaseDay> {
  const bookers = applicants.map((applicant, index) => ({
    applicant,
    client: openRawHttpClient(servers[index % servers.length]?.origin ?? ''),
  }))
  const startMs = performance.now()
  const outcomes = await Promise.all(
    bookers.map(async ({ client, applicant }) => {
      const outcome = await book(client, applicant, appointmentDate)
      return { ...outcome, ms: performance.now() - startMs }
    }),
  )
  for (const { client } of bookers) client.close()
  const failed = outcomes.flatMap(({ answer, kind }) => (kind === 'failed' ? [answer] : []))
  for (const { head, body } of failed.slice(0, 5)) process.stderr.write(`${head}\n${body}\n`)
  return figuresOf(outcomes)
}

/** `ms`: from the start of the day until the answer. */
type TimedOutcome = Pick<Outcome, 'kind' | 'busyAnswers'> & { ms: number }

/** Returns the figures of a day from what each booker got. */
export function figuresOf(outcomes: readonly TimedOutcome[]): ReleaseDay {
  const ofKind = (wanted: Outcome['kind']) => outcomes.filter(({ kind }) => kind === wanted)
  return {
    bookers: outcomes.length,
    booked: ofKind('booked').length,
    loserTimes: loserTimesOf(ofKind('lost').map(({ ms }) => ms)),
    busyAnswers: outcomes.reduce((sum, { busyAnswers }) => sum + busyAnswers, 0),
    failures: ofKind('failed').length,
  }
}

function loserTimesOf(times: readonly number[]): LoserTimes | undefined {
  if (times.length === 0) return undefined
  const sorted = times.toSorted((one, other) => one - other)
  return { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95), slowestMs: quantile(sorted, 1) }
}

type Outcome = { kind: 'booked' | 'lost' | 'failed'; answer: RawAnswer; busyAnswers: number }

/** Sends the same request again after each answer 503 with a time, as late as the answer asks for. */
async function book(
  client: RawHttpClient,
  { token, applicationId }: SeededApplicant,
  appointmentDate: string,
): Promise<Outcome> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  const body = { applicationId, officeId: String(largeOfficeId), appointmentDate, generalQueue: false }
  for (let busyAnswers = 0; ; busyAnswers += 1) {
    const answer = await client.post(`${apiRoot}/appointments?lg=fr`, headers, body)
    const laterSeconds = answer.status === 503 ? retryAfterSeconds(answer) : undefined
    if (laterSeconds === undefined) return { kind: kindOf(answer), answer, busyAnswers }
    await pause(laterSeconds * 1_000)
  }
}

function kindOf({ status, body }: RawAnswer): Outcome['kind'] {
  if (status === 200) return 'booked'
  const { reason } = JSON.parse(body) as { reason?: string } // as every refusal has (server/http/failures.ts)
  return reason === 'time-taken' ? 'lost' : 'failed'
}
