import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { dateInDays } from '#support/data/dates.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  largeOfficeCapacity,
  largeOfficeId,
  idOf,
  type SeededApplicant,
  type Posted,
  postWithRetry,
} from '#support/data/paying-applicants.ts'
import { type ServerProcesses, startProcesses } from '#support/servers/server-processes.ts'
import { countViolations } from './booking-fixture.ts'

const applicantCount = isFullRun ? 1_000 : 120
const rounds = isFullRun ? 20 : 1

let processes: ServerProcesses

beforeAll(async () => {
  processes = await startProcesses(3)
})
afterAll(() => processes.close())

describe(`${applicantCount} applicants for one slot of ${largeOfficeCapacity} places, at the same time at three processes`, () => {
  it(`in each round get exactly ${largeOfficeCapacity} places, none gets two, and every loser then books another slot (D41, D46, ERR20)`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      // New applicants with new tokens: on a busy machine all rounds together last longer than a token.
      const applicants = await processes.applicants(applicantCount)
      const wanted = `${dateInDays(3 + round)}T09:00:00`
      const answers = await Promise.all(applicants.map(applicant => book(applicant, wanted)))
      const losers = applicants.filter((_, index) => answers[index]?.status !== 200)
      expect(losers).toHaveLength(applicantCount - largeOfficeCapacity)
      const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body['statusCode'])
      // 13: the time is taken (ERR20).
      expect(new Set(refusals)).toEqual(new Set([13]))
      await expectConsistent({ taken: largeOfficeCapacity })

      const again = await Promise.all(losers.map((loser, index) => book(loser, otherTime(round, index))))
      expect(again.map(({ status }) => status).filter(status => status !== 200)).toEqual([])
      await expectConsistent({ taken: applicantCount })

      const confirmed = await Promise.all(
        applicants.map((applicant, index) => {
          const answer = answers[index]
          const held = answer?.status === 200 ? answer : again[losers.indexOf(applicant)]
          const id = held ? idOf(held) : ''
          return postWithRetry(processes.portals, applicant, { path: `/appointments/${id}/confirm?lg=fr` })
        }),
      )
      expect(confirmed.filter(({ body }) => body['data'] !== true)).toEqual([])
      await expectConsistent({ taken: applicantCount })
      await emptyCalendar()
    }
  }, 1_200_000)
})

function book(applicant: SeededApplicant, appointmentDate: string): Promise<Posted> {
  const { applicationId } = applicant
  const body = { applicationId, officeId: String(largeOfficeId), appointmentDate, generalQueue: false }
  return postWithRetry(processes.portals, applicant, { path: '/appointments?lg=fr', body })
}

/** Spreads the losers over other slots, on each as many as it has places. */
function otherTime(round: number, loser: number): string {
  const slot = Math.floor(loser / largeOfficeCapacity)
  const hour = 8 + Math.floor(slot / 6)
  return `${dateInDays(4 + round)}T${String(hour).padStart(2, '0')}:${slot % 6}0:00`
}

/** Expects that places and appointments agree, and that `countViolations` finds nothing. */
async function expectConsistent({ taken }: { taken: number }): Promise<void> {
  const { rows } = await sql`
    select
      (select count(*) from place where appointment_id is not null
        and (held_until is null or held_until > now())) as places,
      (select count(*) from appointment where state = 'CONFIRMED'
        or (state = 'HELD' and held_until > now())) as appointments`.execute(processes.db)
  expect(rows).toEqual([{ places: taken, appointments: taken }])
  expect(await countViolations(processes.db)).toEqual({})
}

async function emptyCalendar(): Promise<void> {
  const { db } = processes
  await sql`update place set appointment_id = null, held_until = null, free_from = null`.execute(db)
  await sql`update application set appointment_id = null, state = 'PAYMENT_DONE'`.execute(db)
  await sql`delete from appointment`.execute(db)
}
