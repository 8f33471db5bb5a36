import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decryptMessage } from '#server/features/messages/stored-message.ts'
import { deleteDue } from '#server/features/deletion/delete-due.ts'
import { listApplications } from '#server/features/applications/list-applications.ts'
import { remindDue } from '#server/features/reminders/remind-due.ts'
import {
  type BookingFixture,
  cancel,
  confirm,
  openBookingFixture,
  reserve,
  slot,
  stateOf,
} from '../appointments/booking-fixture.ts'

const hourMs = 3_600_000
let fixture: BookingFixture
beforeAll(async () => {
  fixture = await openBookingFixture()
})
afterAll(() => fixture.close())

/** 09:00 in Douala. */
const start = '2026-11-23T08:00:00Z'

async function resetData(created: string) {
  await sql`truncate applicant, outbox, slot cascade`.execute(fixture.db)
  fixture.clock.time = new Date(start)
  const [paid] = await fixture.createPaidApplicants(1)
  if (!paid) throw new Error('no application')
  await fixture.db
    .updateTable('application')
    .set({ created_at: new Date(created), language: 'en' })
    .where('id', '=', paid.applicationId)
    .execute()
  return paid
}

/** Runs the jobs for deletions and reminders twice a day for `days` days. The messages count as sent at once. */
async function runJobsForDays(days: number) {
  for (let hours = 0; hours < days * 24; hours += 12) {
    fixture.clock.time = new Date(fixture.clock.time.getTime() + 12 * hourMs)
    await deleteDue(fixture.services)
    await remindDue(fixture.services)
    await sql`update outbox set sent_at = now() where sent_at is null`.execute(fixture.db)
  }
}

async function storedMessages(): Promise<string[]> {
  const rows = await fixture.db
    .selectFrom('outbox')
    .select(['key', 'kind', 'channel', 'message'])
    .orderBy('id')
    .execute()
  return rows.map(
    row => `${row.kind} ${row.channel}: ${String(decryptMessage(fixture.services, row)['text'])}`,
  )
}

describe('an unpaid application (F12)', () => {
  it('has a deletion day in the list of applications, causes a warning 14, 3 and 1 days before it, and is deleted on it, after 30 days', async () => {
    const { applicationId, caller } = await resetData(start)
    const { number } = await fixture.db
      .updateTable('application')
      .set({ state: 'DATA_SAVED' })
      .where('id', '=', applicationId)
      .returning('number')
      .executeTakeFirstOrThrow()
    const card = async () => (await listApplications(fixture.services, caller.applicantId))[0]
    expect(await card()).toMatchObject({ currentState: 'DATA_SAVED', deletionDate: '2026-12-23' })
    await runJobsForDays(15)
    expect(await storedMessages()).toEqual([])
    await runJobsForDays(14)
    const text = `Passport ${number}: without payment this application will be deleted on 23.12.2026. To keep it, continue it on the portal.`
    expect(await storedMessages()).toEqual(Array(3).fill(`deletion-warning sms: ${text}`))
    const stored = await fixture.db.selectFrom('outbox').select('key').orderBy('id').execute()
    expect(stored.map(({ key }) => key.split(':')[3])).toEqual(['14', '3', '1'])
    expect(await card()).toMatchObject({ currentState: 'DATA_SAVED', deletionDate: '2026-12-23' })
    await runJobsForDays(1)
    expect(await card()).toMatchObject({ currentState: 'DELETED', deletionDate: null })
    expect(await storedMessages()).toHaveLength(3)
    const row = await fixture.db.selectFrom('application').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ data: {}, additional_data: '', deletion_day: null })
  })

  it('stays while its payment is open, and causes no warning after it is paid', async () => {
    const paying = await resetData(start)
    await fixture.db.updateTable('application').set({ state: 'DATA_SAVED' }).execute()
    await runJobsForDays(20)
    expect(await storedMessages()).toHaveLength(1)
    await fixture.db
      .insertInto('payment')
      .values({
        application_id: paying.applicationId,
        order_id: 'PAY-1',
        method: 'MOCK',
        amount: 1,
        currency: 'XAF',
      })
      .execute()
    await runJobsForDays(20)
    expect(await storedMessages()).toHaveLength(1)
    expect(await stateOf(fixture.db, paying)).toBe('DATA_SAVED')
    await fixture.db
      .updateTable('payment')
      .set({ status: 'SUCCESS', settled_at: fixture.clock.time })
      .execute()
    await fixture.db.updateTable('application').set({ state: 'PAYMENT_DONE' }).execute()
    await runJobsForDays(60)
    expect(await storedMessages()).toHaveLength(1)
  })

  it('causes a warning to the proven contact only, whatever the form names (D109)', async () => {
    const { caller } = await resetData(start)
    await fixture.db
      .updateTable('application')
      .set({
        state: 'NEW',
        data: sql`data || '{"phoneNumber": "699999999", "email": "stranger@example.cm"}'`,
      })
      .execute()
    const { applicantId } = caller
    await fixture.db
      .updateTable('contact')
      .set({ kind: 'email', value: 'awa@example.cm' })
      .where('applicant_id', '=', applicantId)
      .execute()
    await runJobsForDays(17)
    expect(await storedMessages()).toEqual([expect.stringContaining('deletion-warning email: Hello,')])
    const { recipient } = await fixture.db.selectFrom('outbox').select('recipient').executeTakeFirstOrThrow()
    expect(recipient).toBe('awa@example.cm')
  })
})

describe('a paid application without a visit to an office (F12)', () => {
  it('causes warnings and is deleted after a year', async () => {
    await resetData('2025-12-20T08:00:00Z')
    await runJobsForDays(4)
    expect(await storedMessages()).toEqual([])
    await runJobsForDays(22)
    expect(await storedMessages()).toHaveLength(3)
    expect((await storedMessages())[0]).toContain('This paid application will be deleted on 20.12.2026')
    const row = await fixture.db.selectFrom('application').select('state').executeTakeFirstOrThrow()
    expect(row.state).not.toBe('DELETED')
    await runJobsForDays(2)
    expect(await fixture.db.selectFrom('application').select('state').executeTakeFirstOrThrow()).toEqual({
      state: 'DELETED',
    })
  })

  it('stays after the enrolment at the office (READY_FOR_CM)', async () => {
    const enrolled = await resetData('2024-01-01T08:00:00Z')
    await fixture.db.updateTable('application').set({ state: 'READY_FOR_CM' }).execute()
    await runJobsForDays(30)
    expect(await storedMessages()).toEqual([])
    expect(await stateOf(fixture.db, enrolled)).toBe('READY_FOR_CM')
  })
})

describe('the reminders of an appointment', () => {
  it('are stored once 7 days before and once 1 day before, and not again', async () => {
    const paid = await resetData(start)
    const startsAt = '2026-12-08T09:00:00'
    await book(paid, startsAt)
    await runJobsForDays(7)
    expect(await reminders()).toEqual([])
    await runJobsForDays(8)
    expect(await reminders()).toEqual([
      expect.stringContaining('appointment on 08.12.2026 09:00. Office.'),
      expect.stringContaining('appointment on 08.12.2026 09:00. Office.'),
    ])
    await runJobsForDays(3)
    expect(await reminders()).toHaveLength(2)
    const { rows } = await sql<{ reminder: string }>`
      select substring(key from '^reminder:[0-9]+') as reminder from outbox
      where kind = 'appointment-reminder' order by id`.execute(fixture.db)
    expect(rows.map(({ reminder }) => reminder)).toEqual(['reminder:7', 'reminder:1'])
  })

  it('are not sent when both are due already at the confirmation', async () => {
    // One day before the appointment.
    await book(await resetData(start), slot)
    await runJobsForDays(3)
    expect(await reminders()).toEqual([])
  })

  it('are not sent for a cancelled appointment', async () => {
    const paid = await resetData(start)
    const appointmentId = await book(paid, '2026-12-08T09:00:00')
    await cancel(fixture.services, { caller: paid.caller, language: 'en', appointmentId })
    await runJobsForDays(16)
    expect(await reminders()).toEqual([])
  })
})

async function reminders(): Promise<string[]> {
  return (await storedMessages()).filter(text => text.startsWith('appointment-reminder'))
}

async function book({ caller, applicationId }: Awaited<ReturnType<typeof resetData>>, startsAt: string) {
  const selection = { officeId: '1', appointmentDate: startsAt }
  const held = await reserve(fixture.services, { caller, language: 'en', applicationId, selection })
  if (!('id' in held)) throw new Error('not reserved')
  expect(await confirm(fixture.services, caller, held.id, async () => undefined)).toBe(true)
  // The database's clock set `confirmed_at`, but the test advances only the server's clock.
  await fixture.db
    .updateTable('appointment')
    .set({ confirmed_at: fixture.clock.time })
    .where('id', '=', held.id)
    .execute()
  return held.id
}
