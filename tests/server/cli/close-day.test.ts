import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { listOutsideHours } from '#server/cli/booked.ts'
import { listApplications } from '#server/features/applications/list-applications.ts'
import { emptyClosedDays } from '#server/features/appointments/closed-days.ts'
import { dayAfter } from '#server/features/offices/calendar.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { countViolations } from '../appointments/booking-fixture.ts'
import { findFreeTime, createPaidApplication } from '../paid-application.ts'
import { startCliFixture } from './cli-fixture.ts'

const { server, officeCommand } = await startCliFixture({ database: 'postgresql' })

type Booked = {
  applicant: SignedIn
  phone: string
  email: string
  applicationId: string
  number: string
  appointmentId: string
  startsAt: string
}

let people = 0

/** An applicant who has paid and has an appointment at office 1, confirmed by default. */
async function book({ confirmed = true, startsAt = '', timeOfDay = '' } = {}): Promise<Booked> {
  people += 1
  const [phone, email] = [`2376710${String(people).padStart(5, '0')}`, `applicant${people}@example.cm`]
  const applicant = await signIn(server, { phone })
  const added = { kind: 'email', value: email, applicant_id: applicant.applicantId } as const
  await server.services.db.insertInto('contact').values(added).execute()
  const form = { ...firstPassport, phoneNumber: phone.slice(3) }
  const { applicationId, number } = await createPaidApplication(server, applicant, form)
  const free = startsAt || (await findFreeTime(applicant, applicationId))
  const time = timeOfDay === '' ? free : free.replace(/T.*/, `T${timeOfDay}`)
  const appointmentId = await reserve(applicant, applicationId, time)
  if (confirmed) bodyOf(await applicant.call('confirmAppointment', { params: { id: appointmentId } }))
  return { applicant, phone, email, applicationId, number, appointmentId, startsAt: time }
}

async function reserve(applicant: SignedIn, applicationId: string, time: string): Promise<string> {
  const body = { applicationId, officeId: '1', appointmentDate: time }
  return bodyOf(await applicant.call('createAppointment', { body })).data.id
}

async function stateOf({ applicant, applicationId }: Booked): Promise<string | undefined> {
  const { data } = bodyOf(await applicant.call('listApplications'))
  return data.find(({ id }) => id === applicationId)?.currentState
}

/** Reads the lost appointment from the database: the applicant's token expires before the test reads it. */
async function readLostAppointment({ applicant }: Booked) {
  return (await listApplications(server.services, applicant.applicantId))[0]?.lostToClosedDay
}

const setTimeZone = (zone: string) =>
  server.services.db.updateTable('office').set({ time_zone: zone }).where('id', '=', 1).execute()
const setActive = (active: boolean) =>
  server.services.db.updateTable('office').set({ active }).where('id', '=', 1).execute()
const dayOf = ({ startsAt }: Booked) => startsAt.slice(0, 10)
const shown = (day: string) => day.split('-').toReversed().join('.')

async function messagesAbout({ number }: Booked) {
  const messages = await server.outbox.messages()
  return messages.filter(({ kind, text }) => kind === 'day-closed' && text.includes(number))
}

describe('close-day (D45)', () => {
  it('cancels bookings, notifies by SMS and e-mail, and lets the applicant book again without paying (STA06, S59)', async () => {
    const booked = await book()
    const { applicant, applicationId, number, email } = booked
    const day = dayOf(booked)
    const { kind, lines } = await officeCommand.run('close-day', '1', day, '--reason', 'Inventory')
    expect(kind).toBe('done')
    expect(lines[0]).toMatch(/^Office 1 .* is closed on .*: 1 booking cancelled, 0 reservations ended\.$/)
    expect(await stateOf(booked)).toBe('APPOINTMENT_CANCELED')
    const [listed] = bodyOf(await applicant.call('listApplications')).data
    expect(listed?.lostToClosedDay).toEqual({ appointmentDate: booked.startsAt })
    await officeCommand.run('open-day', '1', day)
    expect(bodyOf(await applicant.call('listApplications')).data[0]?.lostToClosedDay).toBeNull()
    await officeCommand.run('close-day', '1', day)

    // The messages of one batch are sent at the same time, in no order.
    const messages = await messagesAbout(booked)
    expect(messages.map(({ channel, to }) => `${channel} ${to}`).toSorted()).toEqual([
      `email ${email}`,
      `sms 237${booked.phone.slice(3)}`,
    ])
    const sms = messages.find(({ channel }) => channel === 'sms')
    expect(sms?.text).toContain(`Passeport ${number} : Centre national de production des passeports`)
    expect(sms?.text).toContain(`ferme le ${shown(day)}`)
    expect(sms?.text).toContain('sans payer de nouveau')

    const dates = bodyOf(
      await applicant.call('listAvailableDates', { params: { officeId: '1' }, query: { applicationId } }),
    ).data.data
    expect(dates).not.toContain(day)
    const again = await reserve(applicant, applicationId, await findFreeTime(applicant, applicationId))
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id: again } })).data).toBe(true)
    expect(await stateOf(booked)).toBe('APPOINTMENT_SCHEDULED')
    expect(bodyOf(await applicant.call('listApplications')).data[0]?.lostToClosedDay).toBeNull()
    const payments = bodyOf(await applicant.call('listPayments', { query: { applicationId } })).data
    expect(payments).toHaveLength(1)
    expect(await countViolations(server.services.db)).toEqual({})
    await officeCommand.run('open-day', '1', day)
  })

  it('ends reservations of that day without a message; they cannot be confirmed then (ERR22)', async () => {
    const held = await book({ confirmed: false })
    const { lines } = await officeCommand.run('close-day', '1', dayOf(held))
    expect(lines[0]).toMatch(/: 0 bookings cancelled, 1 reservation ended\.$/)
    const { applicant, appointmentId } = held
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id: appointmentId } })).data).toBe(
      false,
    )
    expect(await stateOf(held)).toBe('PAYMENT_DONE')
    expect(await messagesAbout(held)).toEqual([])
    await officeCommand.run('open-day', '1', dayOf(held))
  })

  it('does not count a reservation that had expired, and sets its state to EXPIRED (D45)', async () => {
    const { applicationId, appointmentId, startsAt } = await book({ confirmed: false })
    const day = startsAt.slice(0, 10)
    const { db } = server.services
    const past = sql<Date>`now() - interval '1 minute'`
    await db.updateTable('appointment').set({ held_until: past }).where('id', '=', appointmentId).execute()
    await db
      .updateTable('place')
      .set({ held_until: past })
      .where('appointment_id', '=', appointmentId)
      .execute()
    const { lines } = await officeCommand.run('close-day', '1', day)
    expect(lines[0]).toMatch(/: 0 bookings cancelled, 0 reservations ended\.$/)
    const rows = db.selectFrom('appointment').select('state').where('application_id', '=', applicationId)
    expect(await rows.execute()).toEqual([{ state: 'EXPIRED' }])
    await officeCommand.run('open-day', '1', day)
  })

  it('keeps bookings of other days, of other offices and of applicants who were received', async () => {
    const received = await book()
    const day = dayOf(received)
    const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
    const others = [
      ['1', dayBefore],
      ['1', dayAfter(day)],
      ['2', day],
    ]
    for (const other of others) expect((await officeCommand.run('close-day', ...other)).kind).toBe('done')
    expect(await stateOf(received)).toBe('APPOINTMENT_SCHEDULED')
    for (const other of others) await officeCommand.run('open-day', ...other)
    await officeCommand.run('move', received.number, 'READY_FOR_CM')
    await officeCommand.run('close-day', '1', day)
    expect(await stateOf(received)).toBe('READY_FOR_CM')
    expect(await messagesAbout(received)).toEqual([])
    await officeCommand.run('open-day', '1', day)
  })

  it('keeps appointments that have begun', async () => {
    const begun = await book()
    const ahead =
      (new Date(`${begun.startsAt}+01:00`).getTime() - server.services.clock.now().getTime()) / 1_000
    server.clock.advanceSeconds(ahead)
    const { lines } = await officeCommand.run('close-day', '1', dayOf(begun))
    server.clock.advanceSeconds(-ahead)
    expect(lines[0]).toMatch(/: 0 bookings cancelled, 0 reservations ended\.$/)
    expect(await stateOf(begun)).toBe('APPOINTMENT_SCHEDULED')
    expect(await messagesAbout(begun)).toEqual([])
    await officeCommand.run('move', begun.number, 'READY_FOR_CM')
    await officeCommand.run('open-day', '1', dayOf(begun))
  })

  it('changes nothing when it is repeated or a dry run', async () => {
    const booked = await book()
    const day = dayOf(booked)
    const dry = await officeCommand.run('close-day', '1', day, '--dry-run')
    expect(dry.lines).toEqual([
      expect.stringContaining(': 1 booking cancelled'),
      'A dry run: nothing was changed.',
    ])
    expect(await stateOf(booked)).toBe('APPOINTMENT_SCHEDULED')
    expect(await messagesAbout(booked)).toEqual([])
    await officeCommand.run('close-day', '1', day)
    await officeCommand.run('close-day', '1', day)
    expect(await messagesAbout(booked)).toHaveLength(2)
    await officeCommand.run('open-day', '1', day)
  })

  it('keeps the reserved place to which an applicant is moving a booking', async () => {
    const booked = await book()
    const { applicant, appointmentId } = booked
    const later = await findFreeTime(applicant, booked.applicationId)
    const other = later.replace(/T.*/, 'T14:00:00')
    const body = { officeId: '2', appointmentDate: other, generalQueue: false }
    const change = bodyOf(await applicant.call('updateAppointment', { params: { id: appointmentId }, body }))
    await officeCommand.run('close-day', '1', dayOf(booked))
    const confirmed = await applicant.call('confirmAppointment', {
      params: { id: change.data.id ?? appointmentId },
    })
    expect(bodyOf(confirmed).data).toBe(true)
    expect(await stateOf(booked)).toBe('APPOINTMENT_SCHEDULED')
    expect(await countViolations(server.services.db)).toEqual({})
    await officeCommand.run('open-day', '1', dayOf(booked))
  })

  it('counts as no change for an applicant who then confirms the reservation of another day (D43)', async () => {
    const { applicant, applicationId, appointmentId, startsAt } = await book()
    const appointmentDate = (await findFreeTime(applicant, applicationId)).replace(/T.*/, 'T14:00:00')
    const body = { officeId: '2', appointmentDate, generalQueue: false }
    const change = bodyOf(await applicant.call('updateAppointment', { params: { id: appointmentId }, body }))
    const params = { id: change.data.id ?? '' }
    const read = async () => bodyOf(await applicant.call('readAppointment', { params })).data
    expect(await read()).toMatchObject({ changeRefusal: 'limit' })
    await officeCommand.run('close-day', '1', startsAt.slice(0, 10))
    expect(await read()).toMatchObject({ changeRefusal: null })
    await applicant.call('confirmAppointment', { params })
    expect(await read()).toMatchObject({ changeAllowed: true, changeRefusal: null })
    await officeCommand.run('open-day', '1', startsAt.slice(0, 10))
  })

  it('is completed by the server for an applicant who booked during the command', async () => {
    const booked = await book()
    const day = dayOf(booked)
    await server.services.db.insertInto('closed_day').values({ office_id: 1, day }).execute()
    await Promise.all([emptyClosedDays(server.services), emptyClosedDays(server.services)])
    expect(await stateOf(booked)).toBe('APPOINTMENT_CANCELED')
    expect(await messagesAbout(booked)).toHaveLength(2)
    await officeCommand.run('open-day', '1', day)
  })

  it('is completed by the server until the day ends on the clock of the office (D45)', async () => {
    const booked = await book({ timeOfDay: '14:00:00' })
    const day = dayOf(booked)
    await server.services.db.insertInto('closed_day').values({ office_id: 1, day }).execute()
    await setTimeZone('Pacific/Pago_Pago')
    // At 13:30 in Pago Pago the next day has begun in UTC.
    const ahead = (Date.parse(`${day}T13:30:00-11:00`) - server.services.clock.now().getTime()) / 1_000
    server.clock.advanceSeconds(ahead)
    await emptyClosedDays(server.services)
    server.clock.advanceSeconds(-ahead)
    await setTimeZone('Africa/Douala')
    expect(await stateOf(booked)).toBe('APPOINTMENT_CANCELED')
    expect(await messagesAbout(booked)).toHaveLength(2)
    await officeCommand.run('open-day', '1', day)
  })

  it('is completed by the server on the day itself only until the last booking has begun', async () => {
    const begun = await book()
    const { db, clock } = server.services
    await db
      .insertInto('closed_day')
      .values({ office_id: 1, day: dayOf(begun) })
      .execute()
    const ahead = (Date.parse(`${begun.startsAt}+01:00`) - clock.now().getTime()) / 1_000
    server.clock.advanceSeconds(ahead)
    const transactions = vi.spyOn(db, 'transaction')
    await emptyClosedDays(server.services)
    const { length } = transactions.mock.calls
    transactions.mockRestore()
    server.clock.advanceSeconds(-ahead)
    expect(length).toBe(0)
    expect(await stateOf(begun)).toBe('APPOINTMENT_SCHEDULED')
    await emptyClosedDays(server.services)
    expect(await stateOf(begun)).toBe('APPOINTMENT_CANCELED')
    await officeCommand.run('open-day', '1', dayOf(begun))
  })

  it('ignores a closed day that has passed', async () => {
    const notified = await book()
    const day = dayOf(notified)
    await officeCommand.run('close-day', '1', day)
    await officeCommand.run('open-day', '1', day)
    const missed = await book({ startsAt: notified.startsAt })
    await server.services.db.insertInto('closed_day').values({ office_id: 1, day }).execute()
    server.clock.advanceSeconds(30 * 86_400)
    const lost = await readLostAppointment(notified)
    await emptyClosedDays(server.services)
    server.clock.advanceSeconds(-30 * 86_400)
    expect(lost).toBeNull()
    expect(await readLostAppointment(notified)).toEqual({ appointmentDate: notified.startsAt })
    expect(await stateOf(missed)).toBe('APPOINTMENT_SCHEDULED')
    await emptyClosedDays(server.services)
    expect(await stateOf(missed)).toBe('APPOINTMENT_CANCELED')
    await officeCommand.run('open-day', '1', day)
  })

  it.each([
    ['Asia/Tokyo', 9],
    ['America/Bogota', -5],
  ])('shows a lost appointment until its day ends on the clock of the office, in %s', async (zone, hours) => {
    const booked = await book()
    const day = dayOf(booked)
    await officeCommand.run('close-day', '1', day)
    await setTimeZone(zone)
    const endMs = Date.parse(`${dayAfter(day)}T00:00:00Z`) - hours * 3_600_000
    const shownAt = async (ms: number) => {
      const ahead = (ms - server.services.clock.now().getTime()) / 1_000
      server.clock.advanceSeconds(ahead)
      const lost = await readLostAppointment(booked)
      server.clock.advanceSeconds(-ahead)
      return lost
    }
    const [before, after] = [await shownAt(endMs - 60_000), await shownAt(endMs + 60_000)]
    await setTimeZone('Africa/Douala')
    await officeCommand.run('open-day', '1', day)
    expect({ before, after }).toEqual({ before: { appointmentDate: booked.startsAt }, after: null })
  })

  it.each([
    [['1', '2026-02-30'], '"2026-02-30" is not a date such as 2026-12-25.'],
    [['999', '2999-01-01'], '"999": no office has this id, and no active office'],
    [['XX', '2999-01-01'], '"XX": no office has this id, and no active office'],
    [['1', '2020-01-01'], '2020-01-01 is over at office 1.'],
  ])('%j is refused', async (words, why) => {
    const { kind, lines } = await officeCommand.run('close-day', ...words)
    expect(kind).toBe('refused')
    expect(lines[0]).toContain(why)
  })
})

describe('load-calendars and bookings', () => {
  it('refuses to close a day with bookings, and names the command that notifies the applicants', async () => {
    const booked = await book()
    const day = dayOf(booked)
    const path = officeCommand.file(
      'holidays.csv',
      'office,closedDay,reason',
      'CM,2999-01-01,Fête',
      `1,${day},Fête`,
    )
    const { kind, lines } = await officeCommand.run('load-calendars', path)
    expect(kind).toBe('refused')
    expect(lines).toEqual([
      `holidays.csv, line 3: closedDay: 1 place booked or reserved at office 1 on ${day}: use "close-day 1 ${day}", which notifies the applicants.`,
    ])
    const closed = await server.services.db.selectFrom('closed_day').selectAll().execute()
    expect(closed).toEqual([])
  })

  it('closes a day that is over, which close-day refuses, also when it had bookings (D45)', async () => {
    const { startsAt, appointmentId } = await book()
    const { db } = server.services
    const past = `2020-01-02${startsAt.slice(10)}`
    await db.updateTable('slot').set({ starts_at: past }).where('starts_at', '=', startsAt).execute()
    await db.updateTable('appointment').set({ starts_at: past }).where('id', '=', appointmentId).execute()
    const path = officeCommand.file('year.csv', 'office,closedDay,reason', '1,2020-01-02,Fête')
    const { lines } = await officeCommand.run('load-calendars', path)
    expect(lines).toEqual(['Hours set for 0 offices; closed days set: 1.'])
    await db.deleteFrom('closed_day').where('day', '=', '2020-01-02').execute()
  })

  it('keeps bookings outside the new hours and reports their number', async () => {
    const booked = await book()
    const path = officeCommand.file(
      'night.csv',
      'office,weekdays,opens,closes,slotMinutes,capacity',
      '1,mon-fri,17:00,18:00,30,5',
    )
    const { lines } = await officeCommand.run('load-calendars', path)
    expect(lines[0]).toBe('Hours set for 1 office; closed days set: 0.')
    expect(lines[1]).toMatch(
      /^Office 1: (1 booking is outside its new hours and is|[2-9] bookings are outside its new hours and are) kept, the first on 20/,
    )
    expect(await stateOf(booked)).toBe('APPOINTMENT_SCHEDULED')
    // The clock of office 1 is one hour ahead of UTC.
    const startMs = Date.parse(`${booked.startsAt}Z`) - 3_600_000
    const { db } = server.services
    const [before = '', after = ''] = await Promise.all(
      [-60_000, 60_000].map(async ms => String(await listOutsideHours(db, [1], new Date(startMs + ms)))),
    )
    expect(before).toContain(`the first on ${booked.startsAt}`)
    expect(after).not.toContain(booked.startsAt)
  })

  it('reports the bookings outside the new hours of an inactive office too (D45)', async () => {
    await book()
    const path = officeCommand.file(
      'evening.csv',
      'office,weekdays,opens,closes,slotMinutes,capacity',
      '1,mon-fri,19:00,20:00,30,5',
    )
    await setActive(false)
    const { lines } = await officeCommand.run('load-calendars', path)
    await setActive(true)
    expect(lines[0]).toBe('Hours set for 1 office; closed days set: 0.')
    expect(lines[1]).toMatch(
      /^Office 1: \d+ bookings? (is|are) outside its new hours and (is|are) kept, the first on 20/,
    )
  })
})
