import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { waitForNextMillisecond } from '#support/providers/slow-clock.ts'
import { proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { createPaidApplication, findFreeTime } from '../paid-application.ts'

let server: TestServer
let applicant: SignedIn
beforeEach(async () => {
  server = await startTestServer()
  applicant = await signIn(server)
})
afterEach(() => server.close())

const dayMs = 86_400_000

async function reserve(applicationId: string, time: string): Promise<string> {
  const body = { applicationId, officeId: '1', appointmentDate: time }
  return bodyOf(await applicant.call('createAppointment', { body })).data.id
}

async function book(applicationId: string): Promise<{ id: string; time: string }> {
  const time = await findFreeTime(applicant, applicationId)
  const id = await reserve(applicationId, time)
  await confirm(id)
  return { id, time }
}

async function confirm(id: string): Promise<void> {
  bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
}

/** Stores the seven-day reminder of an appointment: runs the job with a clock 5 days and 23 hours before it. */
async function storeReminder(time: string): Promise<void> {
  const now = () => new Date(Date.parse(`${time}Z`) - 6 * dayMs)
  await remindDue({ ...server.services, clock: { now } })
}

async function textsOf(kind: string): Promise<string[]> {
  return (await server.outbox.messages()).filter(each => each.kind === kind).map(({ text }) => text)
}

/**
 * Lets the messages about the safety of the account wait, as for a gateway that fails. `time`: an interval of
 * PostgreSQL.
 */
async function holdSecurityMessages(time: string): Promise<void> {
  await sql`update outbox set next_at = now() + ${time}::interval where kind = 'security'`.execute(
    server.services.db,
  )
}

/** Runs commands of an operator, one after the other. */
async function runCommands(...commands: string[][]): Promise<void> {
  const command = openCliFixture(server.services)
  for (const words of commands) await command.run(...words, '--as', 'op')
  command.close()
}

/** Starts an application, stores the first warning of its deletion, and returns its id. */
async function startWarned(): Promise<string> {
  const { id } = bodyOf(await applicant.call('createApplication')).data
  bodyOf(await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  await server.services.db
    .updateTable('application')
    .set({ created_at: new Date(server.services.clock.now().getTime() - 20 * dayMs) })
    .execute()
  await deleteDue(server.services)
  return id
}

describe('a message that has waited for its gateway (D94)', () => {
  it('is sent when its appointment is still booked', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    await storeReminder((await book(applicationId)).time)
    expect(await textsOf('appointment-reminder')).toHaveLength(1)
    expect(await textsOf('appointment-confirmed')).toHaveLength(1)
  })

  it('is not sent when its appointment was cancelled since, and its text is deleted', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    const { id, time } = await book(applicationId)
    await storeReminder(time)
    bodyOf(await applicant.call('updateAppointment', { params: { id }, body: { cancel: true } }))
    expect(await textsOf('appointment-reminder')).toEqual([])
    expect(await textsOf('appointment-confirmed')).toEqual([])
    const rows = await server.services.db
      .selectFrom('outbox')
      .select(['message', 'last_failure'])
      .where('kind', 'like', 'appointment-%')
      .execute()
    expect(rows).toEqual(
      Array.from({ length: 2 }, () => ({ message: {}, last_failure: 'what it says has changed since' })),
    )
  })

  it('names only the new time when the appointment was changed since', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    const old = await book(applicationId)
    await storeReminder(old.time)
    const time = await findFreeTime(applicant, applicationId)
    const later = old.time.replace(/T.*/, time === old.time ? 'T10:00:00' : time.slice(10))
    const body = { officeId: '1', appointmentDate: later }
    const changed = bodyOf(await applicant.call('updateAppointment', { params: { id: old.id }, body })).data
    await confirm(changed.id ?? '')
    expect(await textsOf('appointment-reminder')).toEqual([])
    expect(await textsOf('appointment-confirmed')).toEqual([expect.stringContaining(later.slice(11, 16))])
  })

  it('is not sent when it warns of the deletion of an application that was paid for since (F12)', async () => {
    const id = await startWarned()
    const payment = bodyOf(await applicant.call('startMockPayment', { query: { applicationId: id } })).data
    server.clock.advanceSeconds(60)
    const request = { params: { id: payment.id }, query: { applicationId: id } }
    expect(bodyOf(await applicant.call('readPayment', request)).data.paymentStatus).toBe('SUCCESS')
    expect(await textsOf('deletion-warning')).toEqual([])
    expect(await textsOf('payment')).not.toEqual([])
  })

  it('is not sent when it reminds of an appointment before which the applicant was enrolled (D94)', async () => {
    const { applicationId, number } = await createPaidApplication(server, applicant)
    await storeReminder((await book(applicationId)).time)
    await runCommands(['move', number, 'READY_FOR_CM'])
    expect(await textsOf('appointment-reminder')).toEqual([])
    expect(await textsOf('appointment-confirmed')).toHaveLength(1)
  })

  it('is not sent when it warns of the deletion of a paid application whose appointment was booked since (F12)', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    const old = new Date(server.services.clock.now().getTime() - 355 * dayMs)
    await server.services.db.updateTable('application').set({ created_at: old }).execute()
    await server.services.db.updateTable('payment').set({ settled_at: old }).execute()
    await deleteDue(server.services)
    await book(applicationId)
    expect(await textsOf('deletion-warning')).toEqual([])
    const stored = server.services.db
      .selectFrom('outbox')
      .select('key')
      .where('kind', '=', 'deletion-warning')
    expect(await stored.execute()).toHaveLength(1)
  })

  it('is sent when it confirms a payment, also after the booking, because it proves that the money has arrived (F1)', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    await book(applicationId)
    expect(await textsOf('payment')).toHaveLength(1)
  })

  it('is not sent when a closed day has cancelled an appointment and another one was booked since (D94, D45)', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    const day = (await book(applicationId)).time.slice(0, 10)
    await runCommands(['close-day', '1', day], ['open-day', '1', day])
    expect((await book(applicationId)).time.slice(0, 10)).toBe(day)
    expect(await textsOf('day-closed')).toEqual([])
    expect(await textsOf('appointment-confirmed')).toHaveLength(1)
  })

  it('is not sent when it asks for another appointment and the application was refused since (D94)', async () => {
    const { applicationId, number } = await createPaidApplication(server, applicant)
    const { time } = await book(applicationId)
    await runCommands(['close-day', '1', time.slice(0, 10)], ['move', number, 'FAILED'])
    expect(await textsOf('day-closed')).toEqual([])
  })

  it('is sent when the appointment that it asks for is still to be booked (D94, D45)', async () => {
    const { applicationId } = await createPaidApplication(server, applicant)
    const { time } = await book(applicationId)
    await runCommands(['close-day', '1', time.slice(0, 10)])
    expect(await textsOf('day-closed')).toHaveLength(1)
  })

  it('is sent when it warns of the deletion of an application that is still not paid for (F12)', async () => {
    await startWarned()
    expect(await textsOf('deletion-warning')).toHaveLength(1)
  })

  it('says of an account only what was decided last about its deletion (D112)', async () => {
    const phone = '237670000001'
    const owner = await signIn(server, { phone })
    const askForDeletion = async () => {
      await proveContact(server, owner, { phone })
      bodyOf(await owner.call('deleteAccount'))
    }
    await server.advanceSeconds(61)
    await askForDeletion()
    bodyOf(await owner.call('keepAccount'))
    await holdSecurityMessages('1 hour')
    await waitForNextMillisecond(server.services)
    await askForDeletion()
    await holdSecurityMessages('0')
    expect(await textsOf('security')).toEqual([expect.stringContaining('seront supprimés')])
    bodyOf(await owner.call('keepAccount'))
    expect((await textsOf('security')).slice(1)).toEqual([expect.stringContaining('ne sera pas supprimé')])
  })

  it('does not say that an account will be deleted which its owner keeps (D112)', async () => {
    const phone = '237670000001'
    const owner = await signIn(server, { phone })
    await server.advanceSeconds(61)
    await proveContact(server, owner, { phone })
    bodyOf(await owner.call('deleteAccount'))
    bodyOf(await owner.call('keepAccount'))
    expect(await textsOf('security')).toEqual([expect.stringContaining('ne sera pas supprimé')])
  })
})
