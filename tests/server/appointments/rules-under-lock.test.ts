import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import {
  type BookingFixture,
  countViolations,
  laterSlot,
  openBookingFixture,
  type PaidApplicant,
  slot,
  stateOf,
  cancel,
  confirm,
  reserveChange,
} from './booking-fixture.ts'

const thirdSlot = '2026-11-26T09:00:00'

let fixture: BookingFixture
let paid: PaidApplicant
beforeEach(async () => {
  fixture = await openBookingFixture({ kind: 'postgresql', changeLimit: 1, poolSize: 10 })
  const [first] = await fixture.createPaidApplicants(1)
  if (!first) throw new Error('Expected one application')
  paid = first
})
afterEach(() => fixture.close())

function idOf(outcome: Awaited<ReturnType<BookingFixture['reserve']>>): string {
  if ('refused' in outcome) throw new Error(`The time was refused: ${outcome.refused}`)
  return outcome.id
}

const confirmIt = (id: string) => confirm(fixture.services, paid.caller, id, () => Promise.resolve())
const cancelIt = (appointmentId: string) =>
  cancel(fixture.services, { caller: paid.caller, language: 'en', appointmentId })
const reserveOther = (appointmentId: string, appointmentDate: string) =>
  reserveChange(fixture.services, {
    caller: paid.caller,
    language: 'en',
    appointmentId,
    selection: { officeId: '1', appointmentDate },
  })

async function book(startsAt: string): Promise<string> {
  const id = idOf(await fixture.reserve(paid, startsAt))
  expect(await confirmIt(id)).toBe(true)
  return id
}

async function changesUsed(): Promise<number | undefined> {
  const row = await fixture.db
    .selectFrom('application')
    .select('changes_used')
    .where('id', '=', paid.applicationId)
    .executeTakeFirst()
  return row?.changes_used
}

/** The states of all appointments, reserved ones too; a refused reservation leaves none. */
async function appointmentStates(): Promise<string[]> {
  const rows = await fixture.db.selectFrom('appointment').select('state').execute()
  return rows.map(({ state }) => state)
}

describe('the rules of an appointment under the lock of its application', () => {
  it('refuses to hold a second change while the only change is being confirmed (D43, D96)', async () => {
    const booked = await book(slot)
    const change = idOf(await reserveOther(booked, laterSlot))
    const [confirmed, second] = await forceRace(fixture.db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => confirmIt(change), () => reserveOther(booked, thirdSlot)],
    })
    expect(confirmed).toBe(true)
    expect(second).toMatchObject({ refused: 'change-refused' })
    expect(await changesUsed()).toBe(1)
    expect(await countViolations(fixture.db)).toEqual({})
  })

  it('refuses to confirm a change when the limit of changes was reached after its time was reserved (D43, D96)', async () => {
    const change = idOf(await reserveOther(await book(slot), laterSlot))
    const [confirmed] = await forceRace(fixture.db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => confirmIt(change)],
      change: trx =>
        trx
          .updateTable('application')
          .set({ changes_used: 1 })
          .where('id', '=', paid.applicationId)
          .execute(),
    })
    expect(confirmed).toMatchObject({ refused: 'change-refused' })
    expect(await stateOf(fixture.db, paid)).toBe('APPOINTMENT_SCHEDULED') // a change would make it APPOINTMENT_CHANGED
  })

  it('refuses to cancel an appointment that begins in less than 24 hours, also when the cancellation began before the reservation was confirmed (D43, D96)', async () => {
    fixture.clock.time = new Date('2026-11-23T10:00:00Z') // 22 hours before `slot`
    const id = idOf(await fixture.reserve(paid, slot))
    const [confirmed, canceled] = await forceRace(fixture.db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => confirmIt(id), () => cancelIt(id)],
    })
    expect(confirmed).toBe(true)
    expect(canceled).toMatchObject({ refused: 'change-refused' })
    expect(await stateOf(fixture.db, paid)).toBe('APPOINTMENT_SCHEDULED')
  })

  it('confirms no reservation of an application whose state becomes FAILED while the call waits for the lock (D40, D96)', async () => {
    const id = idOf(await fixture.reserve(paid, slot))
    const [confirmed] = await forceRace(fixture.db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => confirmIt(id)],
      change: trx =>
        trx
          .updateTable('application')
          .set({ state: 'FAILED' })
          .where('id', '=', paid.applicationId)
          .execute(),
    })
    expect(confirmed).toMatchObject({ refused: 'wrong-state' })
    expect(await appointmentStates()).toEqual(['HELD'])
  })

  it('reserves no place for an application whose state becomes FAILED while the call waits for the lock (D40, D96)', async () => {
    const [reserved] = await forceRace(fixture.db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => fixture.reserve(paid, slot)],
      change: trx =>
        trx
          .updateTable('application')
          .set({ state: 'FAILED' })
          .where('id', '=', paid.applicationId)
          .execute(),
    })
    expect(reserved).toMatchObject({ refused: 'wrong-state' })
    expect(await appointmentStates()).toEqual([])
    expect(await countViolations(fixture.db)).toEqual({}) // also no place that is taken without an appointment
  })
})
