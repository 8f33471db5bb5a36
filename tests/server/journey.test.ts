import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { joinDayAndTime } from '#contract/appointment.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

const postgresql = inject('postgresql')
const databases = [
  ['PGlite', 'pglite'],
  [postgresql.kind === 'running' ? postgresql.label : 'PostgreSQL', 'postgresql'],
] as const

// The API client parses every JSON answer by the contract's schema (tests/support/servers/api-client.ts).
describe.each(databases)('the whole journey over HTTP on %s', (_, database) => {
  let server: TestServer
  let applicant: SignedIn

  beforeAll(async () => {
    server = await startTestServer({ database })
    applicant = await signIn(server, { phone: '237671234567' })
  })
  afterAll(() => server?.close())

  it('leads from a code to a receipt (NAV25, STA09, API01, API03, API07–API12, API19, API20, API22–API27, API31, API33–API35)', async () => {
    const { id, applicationNumber } = bodyOf(await applicant.call('createApplication')).data
    const params = { id }
    const query = { applicationId: id }
    expect(await stateOf(id)).toBe('NEW')

    const form = toWire(firstPassport)
    await succeed(applicant.call('saveData', { params, body: { ...form, draft: false, additionalData: '' } }))
    const read = bodyOf(await applicant.call('readData', { params })).data
    expect(read).toMatchObject(form)
    expect(read.addressCameroonForWeb).toMatchObject({ departmentName: 'Mfoundi' })
    await succeed(applicant.call('confirmData', { params, body: form }))
    expect(await stateOf(id)).toBe('DATA_SAVED')

    const methods = bodyOf(await applicant.call('listPaymentMethods', { query })).data
    expect(methods.filter(({ enable }) => enable).map(({ type }) => type)).toEqual(['MOCK'])
    const payment = bodyOf(await applicant.call('startMockPayment', { query })).data
    expect(payment).toMatchObject({ paymentStatus: 'IN_PROGRESS', amount: 110_000, currency: 'XAF' })
    await server.advanceSeconds(1)
    expect(
      bodyOf(await applicant.call('readPayment', { params: { id: payment.id }, query })).data.paymentStatus,
    ).toBe('SUCCESS')
    const paid = bodyOf(
      await applicant.call('listPayments', { query: { ...query, lastSuccess: 'true' } }),
    ).data
    expect(paid.map(each => each.id)).toEqual([payment.id])
    expect(await stateOf(id)).toBe('PAYMENT_DONE')

    const place = await freePlace(id)
    const booking = bodyOf(
      await applicant.call('createAppointment', {
        body: { applicationId: id, ...place, generalQueue: false },
      }),
    ).data
    expect(await stateOf(id)).toBe('PAYMENT_DONE')
    expect(bodyOf(await applicant.call('confirmAppointment', { params: { id: booking.id } })).data).toBe(true)
    expect(await stateOf(id)).toBe('APPOINTMENT_SCHEDULED')
    const appointment = bodyOf(await applicant.call('readAppointment', { params: { id: booking.id } })).data
    expect(appointment.appointmentDate).toBe(place.appointmentDate)
    expect(appointment).toMatchObject({ city: 'Yaoundé', changeAllowed: true })

    const receipt = bodyOf(await applicant.call('getPdf', { params }))
    const text = await readPdfText(receipt)
    expect(text).toContain(applicationNumber)
    expect(text).toContain('Éloïse Œdipe')
    expect(server.warnings).toEqual([])
  })

  it('answers the receipt to a form post too (API13, S13)', async () => {
    const [application] = bodyOf(await applicant.call('listApplications')).data
    if (!application) throw new Error('the journey left no application')
    const receipt = bodyOf(
      await applicant.call('postPdf', {
        params: { id: application.id, file: `${application.applicationNumber}.pdf` },
        body: { token: applicant.token },
      }),
    )
    expect(await readPdfText(receipt)).toContain(application.applicationNumber)
  })

  it('refreshes the token by cookie, reads what the server offers, and ends with a log-out (API04–API06)', async () => {
    expect(bodyOf(await applicant.call('version')).data).toMatchObject({
      otpTtl: 60, // how long a code is valid, in seconds
      features: expect.arrayContaining(['drafts']),
    })
    expect(bodyOf(await applicant.call('refreshToken')).data.token).not.toBe('')
    await succeed(applicant.call('logout'))
    expect(await applicant.call('listApplications')).toMatchObject({ kind: 'failed', status: 401 })
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  async function stateOf(id: string): Promise<string | undefined> {
    return bodyOf(await applicant.call('listApplications')).data.find(each => each.id === id)?.currentState
  }

  /**
   * Chooses country, city, office, date and slot, each from its list, as on the appointment page. Not the first date:
   * it may be less than 24 hours away, and such an appointment can no longer be changed.
   */
  async function freePlace(applicationId: string): Promise<{ officeId: string; appointmentDate: string }> {
    const countries = bodyOf(await applicant.call('listOfficeCountries')).data.data
    const home = countries.find(({ name }) => name === 'Cameroun')
    const cities = bodyOf(await applicant.call('listCities', { params: { countryId: home?.id ?? '' } })).data
      .data
    const capital = cities.find(({ name }) => name === 'Yaoundé')
    const offices = bodyOf(await applicant.call('listOffices', { query: { cityId: capital?.id ?? '' } })).data
      .data
    const officeId = offices[0]?.id ?? ''
    const dates = bodyOf(
      await applicant.call('listAvailableDates', { params: { officeId }, query: { applicationId } }),
    ).data.data
    const date = dates[6] ?? ''
    const slots = bodyOf(
      await applicant.call('listAvailableSlots', { params: { officeId }, query: { date } }),
    ).data.data
    return { officeId, appointmentDate: joinDayAndTime(date, slots[0] ?? '') }
  }
})

async function succeed(answer: Promise<{ kind: 'ok' | 'failed' }>): Promise<void> {
  expect(await answer).toMatchObject({ kind: 'ok' })
}
