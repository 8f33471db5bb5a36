import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts'
import { firstPassport } from '#support/applicants.ts'
import { bodyOf, type CallParts, openBrowser, type SignedIn, signIn } from '#support/client.ts'
import { startTestServer, type TestServer } from '#support/server.ts'

let server: TestServer
let owner: SignedIn
let stranger: SignedIn
let ids: { application: string; number: string; appointment: string; payment: string; office: string }

beforeAll(async () => {
  server = await startTestServer()
  owner = await signIn(server, { phone: '237671234567' })
  stranger = await signIn(server, { email: 'stranger@example.cm' })
  ids = await bookedApplication()
})
afterAll(() => server?.close())

const nobody = '018f3a00-0000-7000-8000-000000000001'

/** Every call that takes the id of something that belongs to somebody, and how to ask for it. */
function callsById(of: typeof ids): { [Name in EndpointName]?: CallParts<Name> } {
  const application = { params: { id: of.application } }
  const appointment = { params: { id: of.appointment } }
  const query = { applicationId: of.application }
  const form = toWire(firstPassport)
  return {
    saveData: { ...application, body: { ...form, draft: true } },
    readData: application,
    confirmData: { ...application, body: form },
    getPdf: application,
    postPdf: { params: { id: of.application, file: 'receipt.pdf' }, body: { token: '' } },
    createAppointment: {
      body: { applicationId: of.application, officeId: of.office, appointmentDate: null, generalQueue: true },
    },
    readAppointment: appointment,
    updateAppointment: { ...appointment, body: { cancel: true } },
    confirmAppointment: appointment,
    listAvailableDates: { params: { officeId: of.office }, query },
    startMobilePayment: { query: { ...query, phone: '237671234567' } },
    startAggregatorPayment: {
      query,
      body: { phone: '237671234567', paymentMethod: 'Orange-Money', name: 'Ngo', otp: '1234' },
    },
    startCardPayment: { query, body: { returnUrl: '' } },
    startUbaPayment: { query, body: { returnUrl: '' } },
    startMockPayment: { query },
    startWhitelistPayment: { query },
    confirmPayment: { params: { id: of.payment }, body: { otp: '1234' } },
    listPaymentMethods: { query },
    listPayments: { query },
    readPayment: { params: { id: of.payment }, query },
  }
}

/** Calls that take no id of anybody's: what they show belongs to all, or to the caller by the token itself. */
const withoutIds: EndpointName[] = [
  'auth',
  'getSiteKey',
  'captchaChallenge',
  'login',
  'refreshToken',
  'logout',
  'version',
  'createApplication',
  'listApplications',
  'listCountries',
  'listProfessions',
  'listRegions',
  'listDepartments',
  'listLocalities',
  'listOfficeCountries',
  'listCities',
  'listOffices',
  'listAvailableSlots',
]

const named = Object.keys(
  callsById({ application: '', number: '', appointment: '', payment: '', office: '' }),
) as EndpointName[] // keys of our own list
const all = Object.keys(endpoints) as EndpointName[] // keys of our own list

it('every call of the contract is either in the list of ids or known to need none', () => {
  expect([...named, ...withoutIds].sort()).toEqual([...all].sort())
})

describe("another applicant's token", () => {
  it.each(named)('%s: a foreign object is a missing one: 404 with the same body (D12)', async name => {
    const foreign = await ask(stranger, name, ids)
    const missing = await ask(stranger, name, {
      ...ids,
      application: nobody,
      appointment: nobody,
      payment: nobody,
    })
    expect(foreign).toMatchObject({ kind: 'failed', status: 404 })
    expect(missing).toMatchObject({ kind: 'failed', status: 404 })
    expect(failureOf(foreign)).toEqual(failureOf(missing))
  })

  it('lists nothing of the owner, whatever applicantId it names', async () => {
    expect(bodyOf(await stranger.call('listApplications')).data).toEqual([])
    const asked = await stranger.call('listApplications', { query: { applicantId: owner.applicantId } })
    expect(asked).toMatchObject({ kind: 'failed', status: 404 })
  })

  it('leaves everything of the owner as it was', async () => {
    const [application] = bodyOf(await owner.call('listApplications')).data
    expect(application).toMatchObject({
      currentState: 'APPOINTMENT_SCHEDULED',
      appointment: { id: ids.appointment },
    })
  })
})

describe('a payment of one application', () => {
  it('is missing when it is asked for with another of the same applicant (API33)', async () => {
    const second = bodyOf(await owner.call('createApplication')).data.id
    const params = { id: ids.payment }
    const mismatched = await owner.call('readPayment', { params, query: { applicationId: second } })
    expect(mismatched).toMatchObject({ kind: 'failed', status: 404 })
    const matched = await owner.call('readPayment', { params, query: { applicationId: ids.application } })
    expect(bodyOf(matched).data.id).toBe(ids.payment)
  })
})

describe('without a token', () => {
  const guarded = all.filter(name => (endpoints[name] as Endpoint).access === 'applicant')
  it.each(guarded)('%s: 401', async name => {
    const answer = await ask(openBrowser(server), name, ids)
    expect(answer).toMatchObject({ kind: 'failed', status: 401 })
  })
})

function ask(who: { call: SignedIn['call']; token?: string }, name: EndpointName, of: typeof ids) {
  if (name === 'postPdf')
    return who.call('postPdf', {
      params: { id: of.application, file: 'receipt.pdf' },
      body: { token: who.token ?? '' },
    })
  const parts: CallParts<EndpointName> = callsById(of)[name] ?? guardedWithoutIds[name] ?? {}
  return who.call(name, parts)
}

const guardedWithoutIds: Partial<Record<EndpointName, CallParts<EndpointName>>> = {
  listDepartments: { query: { region: 'CENTRE' } },
  listLocalities: { query: { region: 'CENTRE', department: 'MFOUNDI' } },
  listCities: { params: { countryId: '10998' } },
  listOffices: { query: { cityId: '1' } },
  listAvailableSlots: { params: { officeId: '1' }, query: { date: '2030-01-01' } },
}

function failureOf(answer: Awaited<ReturnType<typeof ask>>) {
  return answer.kind === 'failed' ? answer.failure : undefined
}

async function bookedApplication(): Promise<typeof ids> {
  const { id, applicationNumber } = bodyOf(await owner.call('createApplication')).data
  const query = { applicationId: id }
  bodyOf(await owner.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  const payment = bodyOf(await owner.call('startMockPayment', { query })).data
  await server.passTime(1)
  bodyOf(await owner.call('readPayment', { params: { id: payment.id }, query }))
  const office = '1'
  const [date = ''] = bodyOf(await owner.call('listAvailableDates', { params: { officeId: office }, query }))
    .data.data
  const [time = ''] = bodyOf(
    await owner.call('listAvailableSlots', { params: { officeId: office }, query: { date } }),
  ).data.data
  const appointment = bodyOf(
    await owner.call('createAppointment', {
      body: { applicationId: id, officeId: office, appointmentDate: `${date}T${time}` },
    }),
  ).data.id
  bodyOf(await owner.call('confirmAppointment', { params: { id: appointment } }))
  return { application: id, number: applicationNumber, appointment, payment: payment.id, office }
}
