import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { weekdayOf } from '#server/features/offices/calendar.ts'
import { findOffice } from '#server/features/offices/find-office.ts'
import { listFreeDays, listFreeSlots } from '#server/features/offices/free-slots.ts'
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

let fixture: BookingFixture

beforeEach(async () => {
  fixture = await openBookingFixture({ capacity: 1 })
})
afterEach(async () => {
  expect(await countViolations(fixture.db)).toEqual({})
  await fixture.close()
})

async function createTwoApplicants(): Promise<[PaidApplicant, PaidApplicant]> {
  const [one, other] = await fixture.createPaidApplicants(2)
  if (!one || !other) throw new Error('Expected two applications')
  return [one, other]
}

async function idOf(outcome: ReturnType<BookingFixture['reserve']>): Promise<string> {
  const reserved = await outcome
  if ('refused' in reserved) throw new Error(`refused: ${reserved.refused}`)
  return reserved.id
}

async function freeSlots({ caller }: PaidApplicant): Promise<string[]> {
  const office = await findOffice(fixture.db, '1')
  if (!office) throw new Error('Expected office 1')
  const viewer = { applicantId: caller.applicantId, now: fixture.clock.time }
  return listFreeSlots(fixture.db, office, { ...viewer, day: slot.slice(0, 10) })
}

/** Returns an applicant who comes after another has reserved at office 1. */
async function secondApplicant(): Promise<PaidApplicant> {
  const [one, other] = await createTwoApplicants()
  await idOf(fixture.reserve(one))
  return other
}

function confirmOf({ caller }: PaidApplicant, id: string) {
  return confirm(fixture.services, caller, id, () => Promise.resolve())
}

/** A reservation that ends in more than a year. */
async function heldAhead() {
  const [one, other] = await createTwoApplicants()
  const id = await idOf(fixture.reserve(one))
  const { db } = fixture
  await sql`update appointment set held_until = held_until + interval '400 days' where id = ${id}`.execute(db)
  await sql`update place set held_until = held_until + interval '400 days',
    free_from = free_from + interval '400 days' where appointment_id = ${id}`.execute(db)
  return { one, other, id }
}

describe('a reservation that was stored while the clock of the database was ahead (D95)', () => {
  it('gives its place to the next applicant, who sees it as free', async () => {
    const { one, other, id } = await heldAhead()
    expect(await freeSlots(other)).toContain('09:00:00')
    const next = await idOf(fixture.reserve(other))
    expect(await confirmOf(one, id)).toBe(false)
    expect(await confirmOf(other, next)).toBe(true)
  })

  it('can be confirmed while no other applicant has reserved its place', async () => {
    const { one, other, id } = await heldAhead()
    expect(await confirmOf(one, id)).toBe(true)
    expect(await fixture.reserve(other)).toHaveProperty('refused')
  })
})

describe('a reservation', () => {
  it('blocks its time for other applicants and shows it as free to its owner', async () => {
    const [one, other] = await createTwoApplicants()
    await idOf(fixture.reserve(one))
    expect(await fixture.reserve(other)).toMatchObject({ refused: 'time-taken' })
    expect(await freeSlots(other)).toEqual(['09:30:00'])
    expect(await freeSlots(one)).toEqual(['09:00:00', '09:30:00'])
  })

  it('stays the same reservation when it is requested again', async () => {
    const [one] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    expect(await idOf(fixture.reserve(one))).toBe(first)
    expect(await idOf(fixture.reserve(one, slot.slice(0, 16)))).toBe(first)
  })

  it('at another time ends the first, which can no longer be confirmed', async () => {
    const [one, other] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    const second = await idOf(fixture.reserve(one, laterSlot))
    expect(second).not.toBe(first)
    expect(await confirmOf(one, first)).toBe(false)
    await idOf(fixture.reserve(other))
    expect(await confirmOf(one, second)).toBe(true)
  })

  it('is unchanged when the other time is taken', async () => {
    const [one, other] = await createTwoApplicants()
    const mine = await idOf(fixture.reserve(one))
    await idOf(fixture.reserve(other, laterSlot))
    expect(await fixture.reserve(one, laterSlot)).toMatchObject({ refused: 'time-taken' })
    expect(await confirmOf(one, mine)).toBe(true)
  })

  it('frees its place when it expires, and gets the state EXPIRED at the next booking', async () => {
    const [one, other] = await createTwoApplicants()
    const lost = await idOf(fixture.reserve(one))
    await fixture.expire(lost)
    expect(await freeSlots(other)).toEqual(['09:00:00', '09:30:00'])
    await idOf(fixture.reserve(other))
    expect(await confirmOf(one, lost)).toBe(false)
    const row = await fixture.db
      .selectFrom('appointment')
      .select('state')
      .where('id', '=', lost)
      .executeTakeFirst()
    expect(row?.state).toBe('EXPIRED')
  })

  it('of another applicant gets the place that a larger capacity adds, and none when the capacity has shrunk again', async () => {
    const [one, other] = await createTwoApplicants()
    await idOf(fixture.reserve(one))
    await fixture.db.updateTable('opening').set({ capacity: 2 }).execute()
    const second = await idOf(fixture.reserve(other))
    await fixture.db.updateTable('opening').set({ capacity: 1 }).execute()
    await cancel(fixture.services, { caller: other.caller, language: 'fr', appointmentId: second })
    expect(await fixture.reserve(other)).toMatchObject({ refused: 'time-taken' })
  })

  it('is refused on a closed day and at an inactive office', async () => {
    const [one] = await createTwoApplicants()
    await fixture.db
      .insertInto('closed_day')
      .values({ office_id: 1, day: slot.slice(0, 10) })
      .execute()
    expect(await fixture.reserve(one)).toMatchObject({ refused: 'time-taken' })
    await fixture.db.updateTable('office').set({ active: false }).where('id', '=', 1).execute()
    expect(await fixture.reserve(one, laterSlot)).toMatchObject({ refused: 'invalid' })
  })
})

describe('an office that is cached', () => {
  const day = laterSlot.slice(0, 10)
  const close = () => fixture.db.insertInto('closed_day').values({ office_id: 1, day }).execute()

  it('gives no place on a day that was closed since, and gives one after it was reopened', async () => {
    const other = await secondApplicant()
    await close()
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ refused: 'time-taken' })
    await fixture.db.deleteFrom('closed_day').execute()
    await idOf(fixture.reserve(other, laterSlot))
  })

  it.each([{ closes: '09:30' }, { opens: '09:15' }, { weekday: 7 }, { slot_minutes: 45 }])(
    'gives no place at a time that it no longer offers: %o',
    async change => {
      const other = await secondApplicant()
      await fixture.db
        .updateTable('opening')
        .set(change)
        .where('office_id', '=', 1)
        .where('weekday', '=', weekdayOf(day))
        .execute()
      expect(await fixture.reserve(other, laterSlot)).toMatchObject({ refused: 'time-taken' })
    },
  )

  it('gives no place beyond a shorter horizon, nor when it is inactive', async () => {
    const other = await secondApplicant()
    const office = fixture.db.updateTable('office').where('id', '=', 1)
    await office.set({ horizon_days: 0 }).execute()
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ refused: 'time-taken' })
    await office.set({ active: false }).execute()
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ refused: 'invalid' })
  })

  it('uses its current time zone', async () => {
    const other = await secondApplicant()
    // 09:30 is in the future in Douala and in the past in Tokyo.
    fixture.clock.time = new Date(`${day}T05:00:00Z`)
    const office = fixture.db.updateTable('office').where('id', '=', 1)
    await office.set({ time_zone: 'Asia/Tokyo' }).execute()
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ refused: 'time-taken' })
    await office.set({ time_zone: 'Africa/Douala' }).execute()
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ kind: 'reserved' })
  })

  it('gives a place that was added since, and none that was removed again', async () => {
    const other = await secondApplicant()
    const opening = fixture.db.updateTable('opening').where('office_id', '=', 1)
    await opening.set({ capacity: 2 }).execute()
    const mine = await idOf(fixture.reserve(other))
    expect(await fixture.reserve(other, laterSlot)).toMatchObject({ kind: 'reserved' })
    await opening.set({ capacity: 1 }).execute()
    expect(await confirmOf(other, mine)).toBe(false)
    expect(await fixture.reserve(other)).toMatchObject({ refused: 'time-taken' })
  })
})

describe('the general queue', () => {
  it('accepts an application for an office without dates (APT14, S09)', async () => {
    const [one] = await createTwoApplicants()
    const id = await idOf(fixture.reserve(one, null, '2'))
    expect(await confirmOf(one, id)).toBe(true)
    expect(await stateOf(fixture.db, one)).toBe('APPOINTMENT_SCHEDULED')
  })

  it('is offered when other applicants hold every time of the office', async () => {
    const [one, other] = await createTwoApplicants()
    await fixture.db.updateTable('office').set({ horizon_days: 1 }).where('id', '=', 1).execute()
    await fixture.db.updateTable('opening').set({ closes: '09:30' }).execute()
    await fixture.db.insertInto('closed_day').values({ office_id: 1, day: '2026-11-23' }).execute()
    expect(await fixture.reserve(one, null)).toMatchObject({ refused: 'time-needed' })
    const mine = await idOf(fixture.reserve(one))
    expect(await fixture.reserve(one, null)).toMatchObject({ refused: 'time-needed' })
    await idOf(fixture.reserve(other, null))
    expect(await confirmOf(one, mine)).toBe(true)
  })

  it('frees the time that the applicant had reserved', async () => {
    const [one, other] = await createTwoApplicants()
    const mine = await idOf(fixture.reserve(one))
    await idOf(fixture.reserve(one, null, '2'))
    await idOf(fixture.reserve(other))
    expect(await confirmOf(one, mine)).toBe(false)
  })
})

describe('a change', () => {
  it('keeps the booked time until the new one is confirmed', async () => {
    const [one, other] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    await confirmOf(one, first)
    const request = { caller: one.caller, language: 'en', appointmentId: first } as const
    const selection = { officeId: '1', appointmentDate: laterSlot }
    const second = await idOf(reserveChange(fixture.services, { ...request, selection }))
    expect(await fixture.reserve(other)).toMatchObject({ refused: 'time-taken' })
    expect(await confirmOf(one, second)).toBe(true)
    await idOf(fixture.reserve(other))
    expect(await stateOf(fixture.db, one)).toBe('APPOINTMENT_CHANGED')
  })

  it('in progress ends when the appointment is cancelled', async () => {
    const [one] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    await confirmOf(one, first)
    const request = { caller: one.caller, language: 'en', appointmentId: first } as const
    const selection = { officeId: '1', appointmentDate: laterSlot }
    const second = await idOf(reserveChange(fixture.services, { ...request, selection }))
    expect(await cancel(fixture.services, request)).toBe('canceled')
    expect(await confirmOf(one, second)).toBe(false)
    expect(await stateOf(fixture.db, one)).toBe('APPOINTMENT_CANCELED')
  })

  it('is refused after the office has accepted the application', async () => {
    const [one] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    await confirmOf(one, first)
    await fixture.db.updateTable('application').set({ state: 'SENT_TO_CM' }).execute()
    const request = { caller: one.caller, language: 'en', appointmentId: first } as const
    const selection = { officeId: '1', appointmentDate: laterSlot }
    expect(await reserveChange(fixture.services, { ...request, selection })).toMatchObject({
      refused: 'change-refused',
    })
    expect(await cancel(fixture.services, request)).toMatchObject({ refused: 'change-refused' })
  })
})

describe('cancelling and booking again', () => {
  it('uses the only change: no further change and no further cancelling (D43, APT24)', async () => {
    const [one] = await createTwoApplicants()
    const first = await idOf(fixture.reserve(one))
    await confirmOf(one, first)
    const request = { caller: one.caller, language: 'en' } as const
    expect(await cancel(fixture.services, { ...request, appointmentId: first })).toBe('canceled')
    expect(await cancel(fixture.services, { ...request, appointmentId: first })).toBe('canceled')
    const second = await idOf(fixture.reserve(one))
    expect(await confirmOf(one, second)).toBe(true)
    const refused = {
      refused: 'change-refused',
      message: 'The appointment cannot be changed in current application status!',
    }
    const again = { ...request, appointmentId: second }
    expect(
      await reserveChange(fixture.services, {
        ...again,
        selection: { officeId: '1', appointmentDate: laterSlot },
      }),
    ).toMatchObject(refused)
    expect(await cancel(fixture.services, again)).toMatchObject(refused)
    expect(await stateOf(fixture.db, one)).toBe('APPOINTMENT_SCHEDULED')
  })

  it('is refused less than 24 hours before, as a change is', async () => {
    const [one] = await createTwoApplicants()
    const id = await idOf(fixture.reserve(one))
    await confirmOf(one, id)
    fixture.clock.time = new Date('2026-11-23T08:00:01Z')
    const request = { caller: one.caller, language: 'fr', appointmentId: id } as const
    expect(await cancel(fixture.services, request)).toMatchObject({ refused: 'change-refused' })
  })
})

describe('READY_TO_RESCHEDULE', () => {
  it('books again and replaces the earlier appointment', async () => {
    const [one, other] = await createTwoApplicants()
    await confirmOf(one, await idOf(fixture.reserve(one)))
    await fixture.db
      .updateTable('application')
      .set({ state: 'READY_TO_RESCHEDULE' })
      .where('id', '=', one.applicationId)
      .execute()
    expect(await confirmOf(one, await idOf(fixture.reserve(one, laterSlot)))).toBe(true)
    expect(await stateOf(fixture.db, one)).toBe('APPOINTMENT_SCHEDULED')
    await idOf(fixture.reserve(other))
  })
})

describe('the days of an office', () => {
  it('exclude a day whose times are all taken', async () => {
    const [one, other] = await createTwoApplicants()
    const [third] = await fixture.createPaidApplicants(1)
    if (!third) throw new Error('Expected one application')
    await idOf(fixture.reserve(one))
    await idOf(fixture.reserve(other, `${slot.slice(0, 10)}T09:30:00`))
    const office = await findOffice(fixture.db, '1')
    if (!office) throw new Error('Expected office 1')
    const days = await listFreeDays(fixture.db, office, {
      applicantId: third.caller.applicantId,
      now: fixture.clock.time,
    })
    expect(days).not.toContain(slot.slice(0, 10))
    expect(days).toContain(laterSlot.slice(0, 10))
    expect(days).not.toContain('2026-11-29')
  })
})

const daySeconds = 86_400

/**
 * Moves the time at which the place becomes free to a day later. The server chose this time at random within
 * `freedPlaceSeconds`, so otherwise the place might become free during the test.
 */
async function delayFreePlace() {
  const { numUpdatedRows } = await fixture.db
    .updateTable('place')
    .set({ free_from: sql<Date>`free_from + interval '1 day'` })
    .where('free_from', 'is not', null)
    .executeTakeFirstOrThrow()
  expect(numUpdatedRows).toBe(1n)
}

describe('a place that was given up', () => {
  it.each(['reservation', 'appointment', 'expired reservation'])(
    'by the end of a %s is free for its applicant at once, and for others only later',
    async what => {
      fixture.services.config.freedPlaceSeconds = daySeconds
      const [one, other] = await createTwoApplicants()
      const id = await idOf(fixture.reserve(one))
      if (what === 'appointment') await confirmOf(one, id)
      if (what === 'expired reservation') await letExpire(id)
      else await cancel(fixture.services, { caller: one.caller, language: 'en', appointmentId: id })
      await delayFreePlace()
      expect(await fixture.reserve(other)).toMatchObject({ refused: 'time-taken' })
      expect(await freeSlots(other)).toEqual(['09:30:00'])
      expect(await freeSlots(one)).toEqual(['09:00:00', '09:30:00'])
      await idOf(fixture.reserve(one))
    },
  )

  it('is free for others after that time', async () => {
    fixture.services.config.freedPlaceSeconds = daySeconds
    const [one, other] = await createTwoApplicants()
    const id = await idOf(fixture.reserve(one))
    await cancel(fixture.services, { caller: one.caller, language: 'en', appointmentId: id })
    await fixture.db
      .updateTable('place')
      .set({ free_from: sql<Date>`now() - interval '1 second'` })
      .execute()
    expect(await freeSlots(other)).toEqual(['09:00:00', '09:30:00'])
    await idOf(fixture.reserve(other))
  })
})

/** The reservation has expired, but its place is not yet free for others. */
async function letExpire(appointmentId: string): Promise<void> {
  const past = sql<Date>`now() - interval '1 second'`
  await fixture.db
    .updateTable('appointment')
    .set({ held_until: past })
    .where('id', '=', appointmentId)
    .execute()
  await fixture.db
    .updateTable('place')
    .set({ held_until: past, free_from: sql<Date>`now() + interval '1 minute'` })
    .where('appointment_id', '=', appointmentId)
    .execute()
}

describe('a place', () => {
  it('references an existing appointment or none', async () => {
    const [one] = await createTwoApplicants()
    await idOf(fixture.reserve(one))
    const toMissingAppointment = fixture.db
      .updateTable('place')
      .set({ appointment_id: '00000000-0000-4000-8000-000000000000' })
      .where('seat', '=', 1)
    await expect(toMissingAppointment.execute()).rejects.toMatchObject({ code: '23503' })
  })
})
