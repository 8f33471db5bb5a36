import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routedCodes } from '#contract/routed-codes.ts'
import { notifyWatchers } from '#server/features/watch/notify-watchers.ts'
import { dateInDays } from '#support/data/dates.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  largeOfficeCapacity,
  largeOfficeId,
  idOf,
  type SeededApplicant,
  postWithRetry,
} from '#support/data/paying-applicants.ts'
import { type ServerProcesses, startProcesses } from '#support/servers/server-processes.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { countViolations } from './booking-fixture.ts'

const bookerCount = isFullRun ? 2_000 : 150
const wanted = `${dateInDays(3)}T09:00:00`

let processes: ServerProcesses

beforeAll(async () => {
  processes = await startProcesses(3)
  // One slot in all, so that nothing is left after 20 bookings.
  const { db } = processes
  const oneSlot = { opens: '09:00', closes: '09:10', slot_minutes: 10 }
  await db.updateTable('opening').set(oneSlot).where('office_id', '=', largeOfficeId).execute()
  await sql`insert into closed_day (office_id, day, reason)
    select ${largeOfficeId}, day, 'not released yet' from generate_series(${dateInDays(0)}::date, ${dateInDays(60)}::date, interval '1 day') as day
    where day <> ${wanted.slice(0, 10)}::date`.execute(db)
})
afterAll(() => processes.close())

describe('a release day', () => {
  it(`gives ${largeOfficeCapacity} of ${bookerCount} bookers a place, shows the others that nothing is left, and tells the applicant who has watched longest of a place that comes back (D104, D41, F10)`, async () => {
    const applicants = await processes.applicants(bookerCount)
    const answers = await Promise.all(applicants.map(book))
    const winners = applicants.filter((_, index) => answers[index]?.status === 200)
    const losers = applicants.filter((_, index) => answers[index]?.status !== 200)
    expect(winners).toHaveLength(largeOfficeCapacity)
    expect(new Set(answers.map(({ body }) => body['statusCode']))).toEqual(
      new Set([undefined, routedCodes.timeTaken]),
    )
    expect(await countViolations(processes.db)).toEqual({})

    const [first, second] = losers
    const [winner] = winners
    if (!first || !second || !winner) throw new Error('Expected winners and losers')
    expect(await datesFor(first)).toEqual([])
    expect(await datesFor(winner)).toEqual([wanted.slice(0, 10)])
    for (const loser of [first, second])
      await post(loser, `/applications/${loser.applicationId}/watch`, { officeId: String(largeOfficeId) })
    await tellWatchers()
    expect(await told()).toEqual([])

    const won = answers[applicants.indexOf(winner)]
    await post(winner, `/appointments/${won ? idOf(won) : ''}`, { cancel: true })
    // A job of one of the processes may hold the lock of the office: then this run leaves the office out.
    await expect
      .poll(async () => {
        await tellWatchers()
        return told()
      })
      .toEqual([first.applicationId])
    await tellWatchers()
    expect(await told()).toEqual([first.applicationId])
    expect(await datesFor(first)).toEqual([wanted.slice(0, 10)])
    expect((await book(first)).status).toBe(200)
    expect(await countViolations(processes.db)).toEqual({})
  }, 600_000)
})

function post(applicant: SeededApplicant, path: string, body: object) {
  return postWithRetry(processes.portals, applicant, { path: `${path}?lg=fr`, body })
}

function book(applicant: SeededApplicant) {
  const { applicationId } = applicant
  const place = { officeId: String(largeOfficeId), appointmentDate: wanted, generalQueue: false }
  return post(applicant, '/appointments', { ...place, applicationId })
}

/** The free dates that the page reads again after a refusal. */
async function datesFor({ token, applicationId }: SeededApplicant): Promise<unknown> {
  const [portal] = processes.portals
  const path = `/api/v1/appointments/offices/${largeOfficeId}/available-dates?applicationId=${applicationId}`
  const answer = await fetch(`${portal?.origin}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const body: { data: { data: unknown } } = await answer.json()
  return body.data.data
}

/** One run of the job, which the processes also run by themselves. */
async function tellWatchers(): Promise<void> {
  await notifyWatchers(await servicesOn(processes.db))
}

async function told(): Promise<string[]> {
  const rows = await processes.db
    .selectFrom('watch')
    .select('application_id')
    .where('told', '>', 0)
    .orderBy('told_at')
    .execute()
  return rows.map(row => row.application_id)
}
