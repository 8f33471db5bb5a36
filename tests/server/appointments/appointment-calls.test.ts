import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countSegments, toGsm7 } from '#server/integrations/gsm-7.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { openAccountWithBoth } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { findFreeTime, createPaidApplication } from '../paid-application.ts'
import { countViolations } from './booking-fixture.ts'

let server: TestServer
let lastPhone = 237_670_000_100

beforeAll(async () => {
  server = await startTestServer({ env: { NETWORK_CODES_PER_HOUR: '10000' } })
})
afterAll(() => server.close())

async function signInNewApplicant(): Promise<SignedIn> {
  lastPhone += 1
  return signIn(server, { phone: String(lastPhone) })
}

/** An applicant with a paid application, and a free time of the office. */
async function readyToBook(officeId = '1') {
  const applicant = await signInNewApplicant()
  const application = await createPaidApplication(server, applicant)
  const appointmentDate = await findFreeTime(applicant, application.applicationId, officeId)
  return {
    applicant,
    ...application,
    booking: { applicationId: application.applicationId, officeId, appointmentDate },
  }
}

async function booked(officeId = '1') {
  const ready = await readyToBook(officeId)
  const { id } = bodyOf(await ready.applicant.call('createAppointment', { body: ready.booking })).data
  expect(bodyOf(await ready.applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
  return { ...ready, id }
}

async function currentApplication(applicant: SignedIn) {
  return bodyOf(await applicant.call('listApplications')).data[0]
}

describe('offices', () => {
  it('lead from countries to cities to offices, in the requested language (API23, API24, API25)', async () => {
    const applicant = await signInNewApplicant()
    const countries = bodyOf(await applicant.call('listOfficeCountries', { query: { lg: 'en' } })).data.data
    expect(countries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Cameroon', 'Ethiopia', 'Japan']),
    )
    expect(countries).toHaveLength(37)
    const params = { countryId: '11120' }
    const cities = bodyOf(await applicant.call('listCities', { params })).data.data
    expect(cities.map(({ name }) => name)).toEqual(['Abuja', 'Calabar', 'Lagos'])
    const offices = bodyOf(await applicant.call('listOffices', { query: { cityId: '129', lg: 'en' } })).data
      .data
    expect(offices).toEqual([{ id: '42', name: 'High Commission of Cameroon – London', address: '' }])
    const inYaounde = bodyOf(await applicant.call('listOffices', { query: { cityId: '1' } })).data.data
    expect(inYaounde.map(({ id }) => id)).toEqual(['1', '3'])
  })

  it.each(['999', 'x', '99999999999999', '-1'])('are empty for the unknown id %s', async id => {
    const applicant = await signInNewApplicant()
    expect(bodyOf(await applicant.call('listCities', { params: { countryId: id } })).data.data).toEqual([])
    expect(bodyOf(await applicant.call('listOffices', { query: { cityId: id } })).data.data).toEqual([])
  })
})

describe('dates and slots', () => {
  it('are office-local days and times as text (API26, API27, S44)', async () => {
    const { applicant, applicationId } = await readyToBook()
    const params = { officeId: '1' }
    const dates = bodyOf(await applicant.call('listAvailableDates', { params, query: { applicationId } }))
      .data.data
    expect(dates.length).toBeGreaterThan(20)
    expect(dates[0]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    const date = dates[3] ?? ''
    const slots = bodyOf(await applicant.call('listAvailableSlots', { params, query: { date } })).data.data
    expect(slots).toHaveLength(15)
    expect(slots[0]).toBe('08:00:00')
    expect(slots.at(-1)).toBe('15:00:00')
  })

  it('come with the earliest start that could still be changed, and with none for the last booking (D43)', async () => {
    const { applicant, applicationId, booking } = await readyToBook()
    const request = { params: { officeId: '1' }, query: { applicationId } }
    const before = bodyOf(await applicant.call('listAvailableDates', request)).data
    expect(before.changeableFrom).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
    const { id } = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    const held = bodyOf(await applicant.call('readAppointment', { params: { id } })).data
    expect(held).toMatchObject({ changeAllowed: false, changeRefusal: null })
    await applicant.call('confirmAppointment', { params: { id } })
    // The next booking would be the only change that CHANGE_LIMIT allows.
    expect(bodyOf(await applicant.call('listAvailableDates', request)).data.changeableFrom).toBe(null)
  })

  it('show the place that one application holds as free to this application only (D41, D96)', async () => {
    const officeId = '34'
    await server.services.db.updateTable('opening').set({ capacity: 1 }).where('office_id', '=', 34).execute()
    const { applicant, applicationId, booking } = await readyToBook(officeId)
    const other = await createPaidApplication(server, applicant)
    bodyOf(await applicant.call('createAppointment', { body: booking }))
    const date = booking.appointmentDate.slice(0, 10)
    const isShownTo = async (id: string) => {
      const request = { params: { officeId }, query: { date, applicationId: id } }
      const times = bodyOf(await applicant.call('listAvailableSlots', request)).data.data
      return times.includes(booking.appointmentDate.slice(11))
    }
    expect(await isShownTo(applicationId)).toBe(true)
    expect(await isShownTo(other.applicationId)).toBe(false)
    const stranger = await signInNewApplicant()
    const request = { params: { officeId }, query: { date, applicationId } }
    expect((await stranger.call('listAvailableSlots', request)).status).toBe(404)
  })

  it('answer 404 when the dates are for another applicant’s application or for a missing one', async () => {
    const { applicationId } = await readyToBook()
    const stranger = await signInNewApplicant()
    const answers = await Promise.all(
      [applicationId, '00000000-0000-4000-8000-000000000000', 'nonsense'].map(id =>
        stranger.call('listAvailableDates', { params: { officeId: '1' }, query: { applicationId: id } }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual([404, 404, 404])
    expect(new Set(answers.map(answer => answer.kind === 'failed' && answer.failure.message)).size).toBe(1)
  })
})

describe('an appointment', () => {
  it('is reserved, read and confirmed, and the application is scheduled (API19, API20, API22, APT17, APT20)', async () => {
    const { applicant, booking } = await readyToBook()
    const { id } = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    const held = bodyOf(await applicant.call('readAppointment', { params: { id }, query: { lg: 'en' } })).data
    expect(held).toMatchObject({
      id,
      appointmentDate: booking.appointmentDate,
      country: 'Cameroon',
      city: 'Yaoundé',
      nameOffice: 'National Centre for the Production of Passports (CNPP)',
      changeAllowed: false,
    })
    expect(held.addressOffice).toContain('Tongolo')
    expect(held.holdSeconds).toBeGreaterThan(590)
    const { appointmentDate } = booking
    expect(await currentApplication(applicant)).toMatchObject({ reservation: { id, appointmentDate } })
    expect(await currentApplication(applicant)).toMatchObject({ currentState: 'PAYMENT_DONE' })
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
    const confirmed = bodyOf(await applicant.call('readAppointment', { params: { id } })).data
    expect(await currentApplication(applicant)).toMatchObject({
      currentState: 'APPOINTMENT_SCHEDULED',
      appointment: {
        id,
        appointmentDate,
        office: { fr: confirmed.nameOffice, en: held.nameOffice },
      },
      reservation: null,
    })
    expect(confirmed).toMatchObject({ changeAllowed: true, country: 'Cameroun' })
    expect(confirmed.holdSeconds).toBeUndefined()
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
  })

  it('causes one SMS and one e-mail with the receipt', async () => {
    const phone = '237670000099'
    const applicant = await openAccountWithBoth(server, { phone, email: 'eloise@example.cm' })
    const { applicationId, number } = await createPaidApplication(server, applicant)
    const appointmentDate = await findFreeTime(applicant, applicationId, '6')
    const body = { applicationId, officeId: '6', appointmentDate }
    const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
    await Promise.all([1, 2, 3].map(() => applicant.call('confirmAppointment', { params: { id } })))
    const messages = await server.outbox.messages()
    const ownMessages = messages.filter(({ key }) => key.startsWith(`appointment-confirmed:${id}`))
    expect(ownMessages.map(({ channel, to }) => [channel, to])).toEqual([
      ['sms', phone],
      ['email', 'eloise@example.cm'],
    ])
    const [sms, mail] = ownMessages
    expect(sms?.text).toContain(number)
    expect(countSegments(toGsm7(sms?.text ?? ''))).toBe(1)
    expect(mail?.attachments?.map(({ name }) => name)).toEqual([`${number}.pdf`])
  })

  it('has an SMS that names the office also after the conversion to GSM 7-bit, with the nearest letters', async () => {
    const office = { name_fr: 'Ambassade du Cameroun – Cœur de l’Île' }
    await server.services.db.updateTable('office').set(office).where('id', '=', 7).execute()
    const { id } = await booked('7')
    const messages = await server.outbox.messages()
    const sms = messages.find(({ key, channel }) => channel === 'sms' && key.includes(id))
    // The messenger of SMS converts each text (`chooseMessengers`).
    expect(toGsm7(sms?.text ?? '')).toContain("Ambassade du Cameroun - Coeur de l'Ile.")
  })

  it('sends nothing to a number that only the form names, which may be a stranger’s (D109)', async () => {
    const applicant = await signIn(server, { email: 'paul@example.cm' })
    const { applicationId } = await createPaidApplication(server, applicant)
    const appointmentDate = await findFreeTime(applicant, applicationId, '6')
    const body = { applicationId, officeId: '6', appointmentDate }
    const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
    bodyOf(await applicant.call('confirmAppointment', { params: { id } }))
    const messages = (await server.outbox.messages()).filter(({ key }) => key.includes(id))
    expect(messages.map(({ to }) => to)).toEqual(['paul@example.cm'])
  })

  it('is not confirmed when its reservation has expired (ERR22)', async () => {
    const { applicant, booking } = await readyToBook()
    const { id } = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    await server.advanceSeconds(601)
    const again = await signIn(server, { phone: String(lastPhone) })
    expect(bodyOf(await again.call('readAppointment', { params: { id } })).data.holdSeconds).toBe(0)
    expect(await currentApplication(again)).toMatchObject({ reservation: null })
    expect(bodyOf(await again.call('confirmAppointment', { params: { id } })).data).toBe(false)
    expect(await currentApplication(again)).toMatchObject({ currentState: 'PAYMENT_DONE' })
  })

  it('is refused with 13 at a time that is not offered, and in the queue of an office with dates (ERR19, ERR20, S09)', async () => {
    const { applicant, booking } = await readyToBook()
    const times = [
      '2020-01-06T09:00',
      '2999-01-01T09:00:00',
      '2026-99-99T99:99',
      `${booking.appointmentDate.slice(0, 10)}T03:07:00`,
    ]
    for (const appointmentDate of times) {
      const answer = await applicant.call('createAppointment', { body: { ...booking, appointmentDate } })
      expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 13, reason: 'time-taken' } })
    }
    const inEnglish = await applicant.call('createAppointment', {
      query: { lg: 'en' },
      body: { ...booking, appointmentDate: times[0] },
    })
    expect(inEnglish).toMatchObject({
      failure: {
        message: 'Selected time is booked for another customer, please select new date and/or time',
      },
    })
    const queue = { ...booking, appointmentDate: null, generalQueue: true }
    expect(await applicant.call('createAppointment', { body: queue })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 13, reason: 'time-needed' },
    })
  })

  it('needs the applicant’s own paid application and an existing office', async () => {
    const { booking } = await readyToBook()
    const other = await signInNewApplicant()
    const unpaid = bodyOf(await other.call('createApplication')).data.id
    const bodies = [
      { ...booking },
      { ...booking, applicationId: 'nonsense' },
      { ...booking, applicationId: unpaid },
    ]
    const answers = await Promise.all(bodies.map(body => other.call('createAppointment', { body })))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 409])
    const own = await readyToBook()
    const answer = await own.applicant.call('createAppointment', {
      body: { ...own.booking, officeId: '999' },
    })
    expect(answer).toMatchObject({ status: 422, failure: { errors: [{ field: 'officeId' }] } })
  })

  it('is not found by another applicant', async () => {
    const { id } = await booked()
    const stranger = await signInNewApplicant()
    const params = { id }
    const answers = [
      await stranger.call('readAppointment', { params }),
      await stranger.call('confirmAppointment', { params }),
      await stranger.call('updateAppointment', { params, body: { cancel: true } }),
      await stranger.call('readAppointment', { params: { id: 'nonsense' } }),
      await stranger.call('updateAppointment', {
        params,
        body: { officeId: '1', appointmentDate: '2026-12-01T09:00' },
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })
})

describe('changing', () => {
  it('reserves another time, and replaces the old one once that is confirmed, one time only (API21, S32, APT23)', async () => {
    const { applicant, applicationId, id } = await booked()
    const params = { id }
    const appointmentDate = await findFreeTime(applicant, applicationId, '2')
    const body = { officeId: '2', appointmentDate }
    const next = { id: bodyOf(await applicant.call('updateAppointment', { params, body })).data.id ?? id }
    expect(next.id).not.toBe(id)
    await server.advanceSeconds(1)
    const before = await currentApplication(applicant)
    expect(before).toMatchObject({ currentState: 'APPOINTMENT_SCHEDULED', appointment: { id } })
    expect(bodyOf(await applicant.call('confirmAppointment', { params: next })).data).toBe(true)
    const after = await currentApplication(applicant)
    expect(after).toMatchObject({ currentState: 'APPOINTMENT_CHANGED', appointment: next })
    // With this time a device sees that a restore has undone a change (D62).
    const timeOf = (listed: typeof before) => Date.parse(listed?.appointment?.confirmedAt ?? '')
    expect(timeOf(after)).toBeGreaterThan(timeOf(before))
    expect(bodyOf(await applicant.call('confirmAppointment', { params })).data).toBe(false)
    expect(bodyOf(await applicant.call('readAppointment', { params: next })).data.changeAllowed).toBe(false)
    expect(bodyOf(await applicant.call('readData', { params: { id: applicationId } })).data).toMatchObject({
      changeAppointmentAccess: false,
      appointmentChangeCount: 0,
    })
    const refused = await applicant.call('updateAppointment', { params: next, query: { lg: 'en' }, body })
    expect(refused).toMatchObject({
      status: 409,
      failure: {
        reason: 'change-refused',
        message: 'The appointment cannot be changed in current application status!',
      },
    })
    expect(await countViolations(server.services.db)).toEqual({})
  })

  it('leaves the appointment unchanged when the change is cancelled (S33)', async () => {
    const { applicant, applicationId, id } = await booked()
    const appointmentDate = await findFreeTime(applicant, applicationId, '2')
    const body = { officeId: '2', appointmentDate }
    const next = {
      id: bodyOf(await applicant.call('updateAppointment', { params: { id }, body })).data.id ?? id,
    }
    bodyOf(await applicant.call('updateAppointment', { params: next, body: { cancel: true } }))
    expect(await currentApplication(applicant)).toMatchObject({
      currentState: 'APPOINTMENT_SCHEDULED',
      appointment: { id },
    })
    expect(bodyOf(await applicant.call('confirmAppointment', { params: next })).data).toBe(false)
    expect(bodyOf(await applicant.call('readAppointment', { params: { id } })).data.changeAllowed).toBe(true)
  })

  it('is refused for the same time, because it would only use up the change', async () => {
    const { applicant, booking, id } = await booked()
    const body = { officeId: booking.officeId, appointmentDate: booking.appointmentDate }
    expect(await applicant.call('updateAppointment', { params: { id }, body })).toMatchObject({
      failure: { reason: 'time-taken' },
    })
  })

  it('is refused less than 24 hours before the start, with the reason change-refused (D43, ERR23)', async () => {
    const { applicant, booking, id } = await booked()
    const start = new Date(`${booking.appointmentDate}+01:00`).getTime()
    const { clock } = server.services
    server.clock.advanceSeconds((start - clock.now().getTime()) / 1_000 - 24 * 3_600 + 1)
    const again = await signIn(server, { phone: String(lastPhone) })
    expect(bodyOf(await again.call('readAppointment', { params: { id } })).data.changeAllowed).toBe(false)
    const body = { officeId: '1', appointmentDate: await findFreeTime(again, booking.applicationId) }
    expect(await again.call('updateAppointment', { params: { id }, body })).toMatchObject({
      status: 409,
      failure: {
        reason: 'change-refused',
        message: 'Le rendez-vous ne peut plus être modifié dans l’état actuel de la demande.',
      },
    })
    expect(applicant.applicantId).toBe(again.applicantId)
  })
})

describe('cancelling', () => {
  it('ends a reservation, and can be repeated (ERR24, S33)', async () => {
    const { applicant, booking } = await readyToBook()
    const { id } = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    const cancel = () => applicant.call('updateAppointment', { params: { id }, body: { cancel: true } })
    expect(bodyOf(await cancel()).data.id).toBe(id)
    expect(bodyOf(await cancel()).data.id).toBe(id)
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(false)
    expect(await currentApplication(applicant)).toMatchObject({ currentState: 'PAYMENT_DONE' })
  })

  it('of a reservation alone is refused when another device has confirmed it since (S33)', async () => {
    const { applicant, id } = await booked()
    const body = { cancel: true, onlyHold: true } as const
    expect(await applicant.call('updateAppointment', { params: { id }, body })).toMatchObject({
      status: 409,
      failure: { reason: 'change-refused' },
    })
    expect(await currentApplication(applicant)).toMatchObject({
      currentState: 'APPOINTMENT_SCHEDULED',
      appointment: { id },
    })
  })

  it('frees a booked time, and the applicant can book it again (S59)', async () => {
    const { applicant, booking, id } = await booked()
    const [before] = bodyOf(await applicant.call('listApplications')).data
    await server.advanceSeconds(1)
    bodyOf(await applicant.call('updateAppointment', { params: { id }, body: { cancel: true } }))
    expect(await currentApplication(applicant)).toMatchObject({ currentState: 'APPOINTMENT_CANCELED' })
    // With this time a device sees that a restore has undone the cancellation (D62).
    const { time = '' } = bodyOf(await applicant.call('listApplications'))
    expect(Date.parse(time)).toBeGreaterThan(Date.parse(before?.appointment?.confirmedAt ?? ''))
    const next = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    expect(bodyOf(await applicant.call('confirmAppointment', { params: next })).data).toBe(true)
    expect(await currentApplication(applicant)).toMatchObject({ currentState: 'APPOINTMENT_SCHEDULED' })
    expect(await countViolations(server.services.db)).toEqual({})
  })
})

describe('the reservations of one applicant (D41)', () => {
  it('are at most twenty in a row and then two more each minute, so that one applicant cannot go through all places of an office', async () => {
    const { applicant, applicationId, booking } = await readyToBook()
    const other = await readyToBook()
    const params = { officeId: '1' }
    const dates = bodyOf(await applicant.call('listAvailableDates', { params, query: { applicationId } }))
      .data.data
    const date = dates[8] ?? ''
    const times = bodyOf(await applicant.call('listAvailableSlots', { params, query: { date } })).data.data
    const attempt = (index: number) =>
      applicant.call('createAppointment', {
        body: { ...booking, appointmentDate: `${date}T${times[index % times.length]}` },
      })
    // At a time that is not offered nothing is reserved, so this does not count.
    const wrong = { ...booking, appointmentDate: `${date}T03:00:00` }
    for (let index = 0; index < 5; index += 1)
      expect((await applicant.call('createAppointment', { body: wrong })).kind).toBe('failed')
    for (let index = 0; index < 20; index += 1) expect((await attempt(index)).status).toBe(200)
    const refused = await attempt(20)
    expect(refused).toMatchObject({ status: 429, failure: { reason: 'too-many-requests' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const id = bodyOf(await applicant.call('listApplications')).data[0]?.reservation?.id ?? ''
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
    expect((await other.applicant.call('createAppointment', { body: other.booking })).status).toBe(200)
    server.clock.advanceSeconds(30)
    const change = { ...booking, generalQueue: false }
    expect((await applicant.call('updateAppointment', { params: { id }, body: change })).status).toBe(200)
    expect((await applicant.call('updateAppointment', { params: { id }, body: change })).status).toBe(429)
  })
})

describe('the reservations of one applicant at the same moment (D41, D96)', () => {
  it('are at most twenty, as those one after the other', async () => {
    const { applicant, applicationId, booking } = await readyToBook()
    const params = { officeId: '1' }
    const dates = bodyOf(await applicant.call('listAvailableDates', { params, query: { applicationId } }))
      .data.data
    const date = dates[9] ?? ''
    const times = bodyOf(await applicant.call('listAvailableSlots', { params, query: { date } })).data.data
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        applicant.call('createAppointment', {
          body: { ...booking, appointmentDate: `${date}T${times[index % times.length]}` },
        }),
      ),
    )
    const count = (status: number) => answers.filter(answer => answer.status === status).length
    expect(count(200)).toBeGreaterThan(0)
    expect(count(200)).toBeLessThanOrEqual(20)
    expect(count(429)).toBeGreaterThan(0)
  })
})

describe('the idempotency key of a booking', () => {
  it('gives a new reservation when the first one was cancelled', async () => {
    const { applicant, booking } = await readyToBook()
    const key = crypto.randomUUID()
    const book = () => applicant.call('createAppointment', { key, body: booking })
    const first = bodyOf(await book()).data.id
    expect(bodyOf(await book()).data.id).toBe(first)
    const params = { id: first }
    bodyOf(
      await applicant.call('updateAppointment', { key: crypto.randomUUID(), params, body: { cancel: true } }),
    )
    const second = bodyOf(await book()).data.id
    expect(second).not.toBe(first)
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id: second } })).data).toBe(true)
  })

  it('still gives the first reservation when its cancellation is refused (D13)', async () => {
    const { applicant, applicationId, booking } = await readyToBook()
    const key = crypto.randomUUID()
    const book = () => applicant.call('createAppointment', { key, body: booking })
    const params = bodyOf(await book()).data
    await applicant.call('confirmAppointment', { params })
    const change = { officeId: '2', appointmentDate: await findFreeTime(applicant, applicationId, '2') }
    const next = bodyOf(await applicant.call('updateAppointment', { params, body: change })).data.id ?? ''
    await applicant.call('confirmAppointment', { params: { id: next } })
    const cancelled = await applicant.call('updateAppointment', { params, body: { cancel: true } })
    expect(cancelled).toMatchObject({ status: 409, failure: { reason: 'change-refused' } })
    expect(bodyOf(await book()).data).toEqual(params)
  })

  it('does not give the reservation of a change that ended with its appointment (D13)', async () => {
    const { applicant, applicationId, id } = await booked()
    const params = { id }
    const key = crypto.randomUUID()
    const body = { officeId: '2', appointmentDate: await findFreeTime(applicant, applicationId, '2') }
    const change = () => applicant.call('updateAppointment', { key, params, body })
    expect(bodyOf(await change()).data.id).not.toBe(id)
    bodyOf(await applicant.call('updateAppointment', { params, body: { cancel: true } }))
    expect(await change()).toMatchObject({ status: 409, failure: { reason: 'change-refused' } })
  })

  it('of a confirmation does not confirm an appointment again that was cancelled since (API22, D13)', async () => {
    const { applicant, booking } = await readyToBook()
    const params = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    const key = crypto.randomUUID()
    const confirm = async () => bodyOf(await applicant.call('confirmAppointment', { key, params })).data
    expect(await confirm()).toBe(true)
    expect(await confirm()).toBe(true)
    bodyOf(await applicant.call('updateAppointment', { params, body: { cancel: true } }))
    expect(await confirm()).toBe(false)
  })

  it('of a confirmation does not confirm an appointment again that a change has replaced (API22, D13)', async () => {
    const { applicant, applicationId, booking } = await readyToBook()
    const params = bodyOf(await applicant.call('createAppointment', { body: booking })).data
    const key = crypto.randomUUID()
    const confirm = async () => bodyOf(await applicant.call('confirmAppointment', { key, params })).data
    expect(await confirm()).toBe(true)
    const change = { officeId: '2', appointmentDate: await findFreeTime(applicant, applicationId, '2') }
    const next = bodyOf(await applicant.call('updateAppointment', { params, body: change })).data.id ?? ''
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id: next } })).data).toBe(true)
    expect(await confirm()).toBe(false)
  })
})

describe('eight applicants for a slot of three places', () => {
  it('get three reservations over HTTP (D41)', async () => {
    const ready = await Promise.all(Array.from({ length: 8 }, () => readyToBook('16')))
    const time = ready[0]?.booking.appointmentDate ?? ''
    const answers = await Promise.all(
      ready.map(({ applicant, booking }) =>
        applicant.call('createAppointment', { body: { ...booking, appointmentDate: time } }),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'ok')).toHaveLength(3)
    const losers = answers.flatMap(answer => (answer.kind === 'failed' ? [answer.failure.reason] : []))
    expect(new Set(losers)).toEqual(new Set(['time-taken']))
    expect(await countViolations(server.services.db)).toEqual({})
  })
})
