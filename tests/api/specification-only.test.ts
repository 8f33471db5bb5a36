import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { type Call, createCall } from '#api/client.ts'
import { createQueryClient } from '#api/queries.ts'
import type { CallInput, EndpointName } from '#contract/endpoints.ts'
import { ApplicationId, AppointmentId, PaymentId } from '#contract/ids.ts'
import { cardFields } from '#contract/payment.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

const application = ApplicationId.parse('1000')

let text: string
let status: number
let requests: ReturnType<typeof installFakeFetch>

beforeEach(() => {
  status = 200
  requests = installFakeFetch(() => ({ text, status }))
})
afterEach(() => vi.unstubAllGlobals())

function createCallTo(origin: string): Call {
  const device = createFakeDevice()
  return createCall({
    device,
    origin,
    token: () => 'token',
    refreshSession: async () => false,
    watchSessionEnd: () => () => false,
    isShared: () => true,
    onProblem: () => undefined,
    onReached: () => undefined,
    answerMarks: createAnswerMarks(device),
  })
}

const withoutContent: [EndpointName, Partial<CallInput<EndpointName>>][] = [
  ['saveData', { params: { id: application } }],
  ['confirmData', { params: { id: application } }],
  ['logout', {}],
  ['updateAppointment', { params: { id: AppointmentId.parse('1') }, body: { cancel: true } }],
  ['confirmPayment', { params: { id: PaymentId.parse('1') }, body: { otp: '1' } }],
  ['startWhitelistPayment', { query: { applicationId: application } }],
]

describe('a back end that speaks only the specification (D5, D67)', () => {
  it.each(withoutContent)('%s may answer without content', async (name, input) => {
    text = ''
    expect(await createCallTo('')(name, input)).toMatchObject({ ok: true })
  })

  it.each(withoutContent)('%s does not take a page for its answer (D34)', async (name, input) => {
    text = '<html></html>'
    expect(await createCallTo('')(name, input)).toMatchObject({ problem: { kind: 'unreachable' } })
  })

  it.each<EndpointName>(['auth', 'login', 'createApplication', 'listApplications', 'readData', 'version'])(
    '%s must have content',
    async name => {
      text = ''
      expect(await createCallTo('')(name)).toMatchObject({ problem: { kind: 'unreachable' } })
    },
  )

  it('may send ids as numbers, which the portal uses as text', async () => {
    const call = createCallTo('')
    text = '{"token":"t","applicantId":7000}'
    expect(await call('login')).toMatchObject({ value: { data: { applicantId: '7000' } } })
    text = '{"data":[{"id":1000,"applicationNumber":17,"currentState":"NEW","appointment":{"id":5}}]}'
    expect(await call('listApplications')).toMatchObject({
      value: { data: [{ id: '1000', applicationNumber: '17', appointment: { id: '5' } }] },
    })
  })

  it('may send the number of an order and of a phone as numbers (API33, API34)', async () => {
    const payment = { id: 1, orderId: 4711, paymentStatus: 'SUCCESS', amount: 110_000, currency: 'XAF' }
    text = JSON.stringify({ data: { ...payment, needOtp: false, phoneNumber: 237_671_234_567 } })
    const input = { params: { id: PaymentId.parse('1') }, query: { applicationId: application } }
    expect(await createCallTo('')('readPayment', input)).toMatchObject({
      value: { data: { id: '1', orderId: '4711', phoneNumber: '237671234567' } },
    })
  })

  it.each(['2026-12-01T09:30:00Z', '2026-12-01T09:30:00.000+01:00'])(
    'may send the whole appointment in the list, with the ISO date-time %s (API08, LST01)',
    async appointmentDate => {
      const listed = { id: 1000, applicationNumber: 17, currentState: 'APPOINTMENT_SCHEDULED' }
      text = JSON.stringify({ data: [{ ...listed, appointment: { id: 5, appointmentDate } }] })
      expect(await createCallTo('')('listApplications')).toMatchObject({
        value: { data: [{ id: '1000', appointment: { id: '5', appointmentDate } }] },
      })
    },
  )

  it('may name no region, department and locality of a place abroad (API10)', async () => {
    const noPlace = { regionName: null, departmentName: null, localityName: null }
    text = JSON.stringify({ data: { surname: 'Ngo', addressCameroonForWeb: noPlace } })
    expect(await createCallTo('')('readData', { params: { id: application } })).toMatchObject({
      value: {
        data: {
          surname: 'Ngo',
          addressCameroonForWeb: { regionName: '', departmentName: '', localityName: '' },
        },
      },
    })
  })

  it('may send null for a field that has no value', async () => {
    text = JSON.stringify({
      data: {
        surname: 'Ngo',
        givenName: null,
        dateOfBirthUnknown: null,
        additionalData: null,
        draft: null,
        addressCameroonForWeb: null,
        changeAppointmentAccess: null,
        appointmentChangeCount: null,
      },
    })
    expect(await createCallTo('')('readData', { params: { id: application } })).toMatchObject({
      value: {
        data: {
          surname: 'Ngo',
          givenName: '',
          draft: false,
          changeAppointmentAccess: false,
          appointmentChangeCount: 1,
        },
      },
    })
  })

  it('may send null for the lifetime of a code, and its version is still known (S16, LIM05)', async () => {
    text = '{"version":"7.1","otpTtl":null}'
    expect(await createCallTo('')('version')).toMatchObject({ value: { data: { version: '7.1' } } })
  })

  it('may list an appointment whose date has a time zone (LST01, LST06)', async () => {
    const appointment = { id: 5, appointmentDate: '2026-12-01T09:30:00.000+01:00' }
    text = JSON.stringify({
      data: [{ id: 1, applicationNumber: 'R-1', currentState: 'APPOINTMENT_SCHEDULED', appointment }],
    })
    expect(await createCallTo('')('listApplications')).toMatchObject({
      value: { data: [{ id: '1', appointment: { id: '5' } }] },
    })
  })

  it.each(['addressCameroonForWeb', 'resAddressCameroonForWeb', 'reprAddressCameroonForWeb'])(
    'may send null for each name in %s, when the place is not in Cameroon (API10)',
    async place => {
      const names = { regionName: null, departmentName: null, localityName: null }
      text = JSON.stringify({ data: { surname: 'Ngo', [place]: names } })
      expect(await createCallTo('')('readData', { params: { id: application } })).toMatchObject({
        value: { data: { [place]: { regionName: '', departmentName: '', localityName: '' } } },
      })
    },
  )

  it.each([
    ['a code', { id: 5, needOtp: true }, { id: '5', needOtp: true }],
    ['an approval', { id: 5 }, { id: '5', paymentStatus: 'IN_PROGRESS' }],
    [
      'an approval, with null for all that it does not know yet',
      { id: 5, orderId: null, paymentStatus: null, amount: null, currency: null, needOtp: null },
      { id: '5', paymentStatus: 'IN_PROGRESS' },
    ],
    ['no order', {}, { id: '' }],
    ['no order, with null for each field', { id: null, paymentStatus: null, amount: null }, { id: '' }],
    ['no order at all', null, { id: '' }],
  ])('may answer the start of a payment with little or nothing: %s (S37)', async (_, sent, read) => {
    text = JSON.stringify({ data: sent })
    for (const name of ['startMobilePayment', 'startAggregatorPayment', 'startMockPayment'] as const)
      expect(await createCallTo('')(name), name).toMatchObject({ value: { data: read } })
  })

  it.each([
    { data: { statusCode: 17 } },
    { statusCode: 17, message: 'Name' },
    { statusCode: 17, message: 'Name', data: null },
    { statusCode: 17, message: 'Name', data: {} },
  ])('may refuse a payment with a status of success: %j (D11, ERR15)', async body => {
    text = JSON.stringify(body)
    const answer = await createCallTo('')('startAggregatorPayment')
    expect(answer).toMatchObject({ problem: { kind: 'refused', statusCode: 17 } })
  })

  it.each(withoutContent.filter(([name]) => name !== 'logout'))(
    '%s may be refused with a status of success (D11)',
    async (name, input) => {
      for (const body of [{ data: { statusCode: 2 } }, { statusCode: 2, errors: ['No'] }]) {
        text = JSON.stringify(body)
        const answer = await createCallTo('')(name, input)
        expect(answer).toMatchObject({ problem: { kind: 'refused', statusCode: 2 } })
      }
    },
  )

  it.each(withoutContent)('%s may name a status of success in the body (D11)', async (name, input) => {
    const bodies = [
      { statusCode: 0 },
      { statusCode: 200, data: {} },
      { data: { statusCode: 0 } },
      { data: { statusCode: 201 } },
    ]
    for (const body of bodies) {
      text = JSON.stringify(body)
      expect(await createCallTo('')(name, input)).toMatchObject({ ok: true })
    }
  })

  it.each([
    [{ statusCode: 2, errors: [{ field: null, message: 'Late' }] }, [{ message: 'Late' }]],
    [{ statusCode: 2, errors: [{ message: null }, 'Late'] }, [{}, 'Late']],
    [{ statusCode: 2, errors: { otp: ['Late'] } }, []],
    [{ statusCode: 2, errors: [404], message: ['Late'] }, []],
    [{ statusCode: 2, message: 'Late', reason: null }, []],
  ])('may list the errors of a payment code in its own way: %j (ERR18, S41)', async (body, errors) => {
    text = JSON.stringify(body)
    status = 400
    const answer = await createCallTo('')('confirmPayment')
    expect(answer).toMatchObject({ problem: { kind: 'refused', statusCode: 2, errors } })
  })

  it.each([{ statusCode: 0 }, { statusCode: null }, {}])(
    'may send null for the message and the seconds of a code that it has sent: %j (S36)',
    async code => {
      text = JSON.stringify({ data: { ...code, message: null, seconds: null } })
      expect(await createCallTo('')('auth')).toMatchObject({ ok: true })
    },
  )

  it('may send null when an application has no successful payment (API34, S63)', async () => {
    text = JSON.stringify({ data: null })
    const query = { applicationId: application, lastSuccess: 'true' } as const
    expect(await createCallTo('')('listPayments', { query })).toEqual({ ok: true, value: { data: [] } })
  })

  it('may answer a payment code with a payment that it does not know yet (PAY24)', async () => {
    text = JSON.stringify({ data: { id: 5, paymentStatus: null, amount: null, currency: null } })
    expect(await createCallTo('')('confirmPayment')).toMatchObject({ ok: true })
  })

  it('may send numbers in the fields of a card payment (PAY21, S12)', async () => {
    const fields = Object.fromEntries(cardFields.map(name => [name, 'x']))
    text = JSON.stringify({
      status: 'Success',
      data: { ...fields, cpm_amount: 110_000, cpm_site_id: 445_160 },
    })
    expect(await createCallTo('')('startCardPayment')).toMatchObject({
      value: { data: { ...fields, cpm_amount: '110000', cpm_site_id: '445160' } },
    })
  })

  it('gives no form, rather than an empty one, when one field of the form is not readable', async () => {
    text = JSON.stringify({ data: { surname: 'Ngo', givenName: { first: 'Awa' } } })
    const answer = await createCallTo('')('readData', { params: { id: application } })
    expect(answer).toMatchObject({ problem: { kind: 'unreachable' } })
  })

  it('gets no header on another origin that its CORS answer may not allow', async () => {
    text = '{"data":{"token":"t"}}'
    const call = createCallTo('https://api.example')
    await call('refreshToken')
    await call('saveData', { params: { id: application } }, { key: 'k' })
    const names = requests.flatMap(({ headers }) => [...headers.keys()])
    expect([...new Set(names)].toSorted()).toEqual(['accept', 'authorization', 'content-type'])
  })

  it('is not asked for the case file (all payment attempts), which it does not announce', async () => {
    const { queries } = createQueriesOnPhone({ call: createCallTo(''), hasFeature: async () => false })
    expect(await createQueryClient().fetchQuery(queries.paymentAttempts(application))).toEqual([])
    expect(requests).toEqual([])
  })
})
