import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { homeTimeZone } from '#contract/codes.ts'
import { showDate } from '#contract/dates.ts'
import { closeDay, emptyClosedDays } from '#server/features/appointments/closed-days.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { daysAfter } from '#server/features/deletion/deletion-plan.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { createPaidApplication, findFreeTime, type PaidApplication } from '../paid-application.ts'

let server: TestServer
let applicant: SignedIn
let paid: PaidApplication
beforeEach(async () => {
  server = await startTestServer()
  applicant = await signIn(server)
  paid = await createPaidApplication(server, applicant)
})
afterEach(() => server.close())

const dayMs = 86_400_000

/** Runs the job of deletions with a clock that is this number of days ahead; behind if negative. */
async function runJob(days: number): Promise<void> {
  const now = () => new Date(server.services.clock.now().getTime() + days * dayMs)
  await deleteDue({ ...server.services, clock: { now } })
}

/** Makes the application one that is deleted tomorrow, after all its warnings. */
async function announceForTomorrow(): Promise<void> {
  const { db, clock } = server.services
  const old = new Date(clock.now().getTime() - 364 * dayMs)
  await db.updateTable('application').set({ created_at: old }).execute()
  await db.updateTable('payment').set({ settled_at: old }).execute()
  for (const days of [-13, -2, 0]) await runJob(days)
  expect((await readApplication()).deletion_warned).toBe(1)
}

function readApplication() {
  return server.services.db
    .selectFrom('application')
    .select(['state', 'deletion_day', 'deletion_warned'])
    .where('id', '=', paid.applicationId)
    .executeTakeFirstOrThrow()
}

/** Books an appointment and returns its id and day. */
async function book(): Promise<{ id: string; day: string }> {
  const { applicationId } = paid
  const time = await findFreeTime(applicant, applicationId)
  const body = { applicationId, officeId: '1', appointmentDate: time }
  const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
  bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
  return { id, day: time.slice(0, 10) }
}

describe('an announced deletion (F12, D40)', () => {
  it('comes on its day when the applicant does nothing', async () => {
    await announceForTomorrow()
    await server.outbox.sendDue()
    await runJob(1)
    expect((await readApplication()).state).toBe('DELETED')
  })

  it('comes a day later while its last warning waits to be sent, and the new warning names that day (D94)', async () => {
    await announceForTomorrow()
    const announced = await readApplication()
    await runJob(1)
    const postponed = await readApplication()
    expect(postponed).toMatchObject({ state: 'PAYMENT_DONE', deletion_warned: 1 })
    expect(postponed.deletion_day).toBe(daysAfter(announced.deletion_day ?? '', 1))
    const sent = (await server.outbox.messages()).filter(({ kind }) => kind === 'deletion-warning')
    expect(sent.map(({ text }) => text)).toEqual([
      expect.stringContaining(showDate(postponed.deletion_day ?? '')),
    ])
    await runJob(2)
    expect((await readApplication()).state).toBe('DELETED')
  })

  it('comes a day later when its last warning was sent only on the day of the deletion (D94)', async () => {
    await announceForTomorrow()
    await server.outbox.sendDue()
    const { deletion_day: day } = await readApplication()
    // At half past midnight in Yaoundé, on the day that the warning names.
    await server.services.db
      .updateTable('outbox')
      .set({ sent_at: sql<Date>`(${day}::date + time '00:30') at time zone ${homeTimeZone}` })
      .where('kind', '=', 'deletion-warning')
      .execute()
    await runJob(1)
    expect((await readApplication()).state).toBe('PAYMENT_DONE')
    await server.outbox.sendDue()
    await runJob(2)
    expect((await readApplication()).state).toBe('DELETED')
  })

  it('comes five days later when no message leaves the server', async () => {
    await announceForTomorrow()
    for (const days of [1, 2, 3, 4, 5]) {
      await runJob(days)
      expect((await readApplication()).state).toBe('PAYMENT_DONE')
    }
    await runJob(6)
    expect((await readApplication()).state).toBe('DELETED')
  })

  it('comes on its day when its last warning has failed', async () => {
    await announceForTomorrow()
    const failed_at = server.services.clock.now()
    await server.services.db.updateTable('outbox').set({ failed_at }).execute()
    await runJob(1)
    expect((await readApplication()).state).toBe('DELETED')
  })

  it('is announced again when the office closes the day of an appointment that was booked since', async () => {
    await announceForTomorrow()
    const { day } = await book()
    await server.services.db
      .transaction()
      .execute(trx => closeDay(trx, { officeId: 1, day, reason: 'Strike' }))
    await emptyClosedDays(server.services)
    await runJob(1)
    expect(await readApplication()).toMatchObject({ state: 'APPOINTMENT_CANCELED', deletion_warned: 14 })
  })

  it('is announced again when the applicant cancels an appointment that was booked since', async () => {
    await announceForTomorrow()
    const { id } = await book()
    bodyOf(await applicant.call('updateAppointment', { params: { id }, body: { cancel: true } }))
    await runJob(1)
    expect(await readApplication()).toMatchObject({ state: 'APPOINTMENT_CANCELED', deletion_warned: 14 })
  })

  it('is withdrawn by the enrolment, and an operator then sees no day (D45)', async () => {
    await announceForTomorrow()
    await book()
    await server.services.db
      .updateTable('application')
      .set({ deletion_day: '2030-01-01', deletion_cause: 'never-enrolled', deletion_warned: 14 })
      .execute()
    const command = openCliFixture(server.services)
    await command.run('move', paid.number, 'READY_FOR_CM', '--as', 'op')
    expect((await readApplication()).deletion_day).toBeNull()
    const { lines } = await command.run('application', paid.number, '--as', 'op', '--reason', 'call')
    command.close()
    expect(lines.find(line => line.startsWith('deletion'))).toMatch(/^deletion +-$/)
  })
})
