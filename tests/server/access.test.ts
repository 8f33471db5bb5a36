import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import { type Endpoint } from '#contract/sign-in-endpoints.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type CallParts, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { isFullRun } from '#support/test-tier.ts'
import { medianOf } from '#support/checks/quantile.ts'
import { recordStatements } from '#support/servers/statements.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let owner: SignedIn
let stranger: SignedIn
let recorded: ReturnType<typeof recordStatements>
let recordedStranger: { call: SignedIn['call']; token: string }
let ids: {
  application: string
  number: string
  appointment: string
  payment: string
  office: string
  session: string
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await signIn(server, { phone: '237671234567' })
  stranger = await signIn(server, { email: 'stranger@example.cm' })
  ids = await bookedApplication()
  // A call about another applicant's data may store its event after its answer.
  // tests/server/session/refused-events.test.ts compares the statements of this event.
  recorded = recordStatements(server, { except: 'security_event' })
  recordedStranger = { ...openBrowser(recorded.server, stranger.token), token: stranger.token }
})
afterAll(() => server?.close())

const unusedId = '018f3a00-0000-7000-8000-000000000001'

/** Every call that takes the id of an applicant's data, with its request. */
function callsById(of: typeof ids): { [Name in EndpointName]?: CallParts<Name> } {
  const application = { params: { id: of.application } }
  const appointment = { params: { id: of.appointment } }
  const query = { applicationId: of.application }
  const form = toWire(firstPassport)
  return {
    saveData: { ...application, body: { ...form, draft: true } },
    readData: application,
    deleteApplication: application,
    readWatch: application,
    startWatch: { ...application, body: { officeId: of.office } },
    stopWatch: application,
    confirmData: { ...application, body: form },
    getPdf: application,
    receiptTicket: application,
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
    cancelPayment: { params: { id: of.payment } },
    listPaymentMethods: { query },
    listPayments: { query },
    listPaymentAttempts: application,
    paymentProof: application,
    readPayment: { params: { id: of.payment }, query },
    endSession: { params: { id: of.session } },
  }
}

/**
 * Calls that need no id of an applicant's data: their answer is public, or belongs to the applicant who has the token.
 * Two accept such an id all the same: a test below checks that `listApplications` refuses another applicant's, and
 * appointments/appointment-calls.test.ts checks this of `listAvailableSlots`. Add each new call here or to the list
 * above, or the first test fails.
 */
const withoutIds: EndpointName[] = [
  'readAccount',
  'downloadData',
  'askProofCode',
  'proveContact',
  'removeContact',
  'deleteAccount',
  'keepAccount',
  'undoContactChange',
  'askDormantCode',
  'answerDormant',
  'endOtherSessions',
  'addContact',
  'confirmContact',
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
  'listHomePlaces',
  'listProfessions',
  'listRegions',
  'listDepartments',
  'listLocalities',
  'listOfficeCountries',
  'listCities',
  'listOffices',
  'readOffice',
  'endKiosk',
  'listAvailableSlots',
]

const callsWithIds = Object.keys(
  callsById({ application: '', number: '', appointment: '', payment: '', office: '', session: '' }),
) as EndpointName[] // keys of the list above
const all = Object.keys(endpoints) as EndpointName[] // keys of the contract

it('lists every call of the contract either with an id or as a call without ids', () => {
  expect([...callsWithIds, ...withoutIds].sort()).toEqual([...all].sort())
})

const guarded = all.filter(name => (endpoints[name] as Endpoint).access === 'applicant')
const open = all.filter(name => (endpoints[name] as Endpoint).access === 'open')

describe('the access to calls', () => {
  it('is open to everybody only for the sign-in, the choice about a dormant account, the version, the name of an office, the end of a kiosk and the undo of a contact change', () => {
    expect(open).toEqual([
      'auth',
      'getSiteKey',
      'login',
      'version',
      'captchaChallenge',
      'askDormantCode',
      'answerDormant',
      'undoContactChange',
      'readOffice',
      'endKiosk',
    ])
  })

  it.each(guarded)('%s answers 401 when the token is missing, expired or altered', async name => {
    const strangers = [openBrowser(server), openBrowser(server, alterToken(owner.token))]
    for (const browser of strangers) expect(await ask(browser, name, ids)).toMatchObject(notSignedIn)
    server.clock.advanceSeconds(901)
    const late = await ask(openBrowser(server, owner.token), name, ids)
    server.clock.advanceSeconds(-901)
    expect(late).toMatchObject(notSignedIn)
  })

  it.each(guarded)('%s answers 401 when the request has only the cookies', async name => {
    const browser = openBrowser(server)
    for (const [cookie, value] of owner.cookies) browser.cookies.set(cookie, value)
    expect(await ask(browser, name, ids)).toMatchObject(notSignedIn)
  })

  it.each(['', 'a.b.c', 'altered', 'foreign'])('postPdf refuses the access token "%s"', async name => {
    const token = name === 'altered' ? alterToken(owner.token) : name === 'foreign' ? stranger.token : name
    const answer = await stranger.call('postPdf', {
      params: { id: ids.application, file: 'receipt.pdf' },
      body: { token },
    })
    expect(answer).toMatchObject({ kind: 'failed', status: name === 'foreign' ? 404 : 401 })
  })

  it('refreshToken answers 401 when the request has only an access token', async () => {
    const browser = openBrowser(server, owner.token)
    const headers = { authorization: `Bearer ${owner.token}` }
    expect(await browser.call('refreshToken', { headers })).toMatchObject(notSignedIn)
  })

  it('logout ends the sessions of the cookie and of the token, and no other', async () => {
    const leaving = await signIn(server, { phone: '237678888888' })
    const inOtherTab = await signIn(server, { phone: '237678888889' })
    await leaving.call('logout', { headers: { authorization: `Bearer ${inOtherTab.token}` } })
    for (const ended of [leaving, inOtherTab])
      expect((await ended.call('listApplications')).kind).toBe('failed')
    expect((await owner.call('listApplications')).kind).toBe('ok')
  })
})

describe("another applicant's data", () => {
  it.each(callsWithIds)(
    '%s answers 404 with the same body and the same kinds of statements as for a missing id (D12)',
    async name => {
      const { foreign, missing } = await compare(name)
      expect(foreign.answer).toMatchObject({ kind: 'failed', status: 404 })
      expect(missing.answer).toMatchObject({ kind: 'failed', status: 404 })
      expect(failureOf(foreign.answer)).toEqual(failureOf(missing.answer))
      expect(foreign.work).toEqual(missing.work)
    },
  )

  it.each([
    'not-an-id',
    '0',
    "x' or '1'='1",
    unusedId.toUpperCase(),
    'a'.repeat(64),
    'a'.repeat(190),
    '%00',
    '..',
  ])('is not found by the malformed id %s in any call', async id => {
    // Otherwise the limit of orders per applicant would answer first (D97).
    await server.advanceSeconds(20)
    for (const name of callsWithIds) {
      const answer = await ask(stranger, name, {
        ...ids,
        application: id,
        appointment: id,
        payment: id,
        session: id,
      })
      expect([404, 422], name).toContain(answer.status)
    }
  })

  it("is not in the list of applications, even when the stranger asks with the owner's applicantId", async () => {
    expect(bodyOf(await stranger.call('listApplications')).data).toEqual([])
    const ofOwner = await stranger.call('listApplications', { query: { applicantId: owner.applicantId } })
    const random = await stranger.call('listApplications', { query: { applicantId: unusedId } })
    expect(ofOwner).toMatchObject({ kind: 'failed', status: 404 })
    expect(ofOwner.kind === 'failed' && ofOwner.failure).toEqual(random.kind === 'failed' && random.failure)
  })

  it("is not in the answer when the stranger sends the owner's idempotency key", async () => {
    const key = crypto.randomUUID()
    const mine = bodyOf(await owner.call('createApplication', { key })).data
    const theirs = bodyOf(await stranger.call('createApplication', { key })).data
    expect(theirs.id).not.toBe(mine.id)
  })

  // Without assertions, because the machine is shared. The first test of this group compares the kinds of statements.
  it.runIf(isFullRun)('prints median times of GET calls for it and for a missing id', async () => {
    for (const name of callsWithIds.filter(each => endpoints[each].method === 'GET')) {
      const times = { foreign: [] as number[], missing: [] as number[] }
      for (let round = 0; round < 25; round += 1) {
        const { foreign, missing } = await compare(name)
        times.foreign.push(foreign.time)
        times.missing.push(missing.time)
      }
      const [one, other] = [medianOf(times.foreign), medianOf(times.missing)]
      process.stdout.write(`${name}: median ${one.toFixed(2)} ms foreign, ${other.toFixed(2)} ms missing\n`)
    }
  })

  it('has the same state and appointment after these calls', async () => {
    const applications = bodyOf(await owner.call('listApplications')).data
    expect(applications.find(each => each.id === ids.application)).toMatchObject({
      currentState: 'APPOINTMENT_SCHEDULED',
      appointment: { id: ids.appointment },
    })
  })
})

describe('ids that do not belong together', () => {
  it('readPayment answers 404 when the payment belongs to another application, of the caller or of a stranger (API33)', async () => {
    const second = bodyOf(await owner.call('createApplication')).data.id
    const theirs = bodyOf(await stranger.call('createApplication')).data.id
    for (const [who, applicationId] of [
      [owner, second],
      [stranger, theirs],
      [owner, theirs],
    ] as const) {
      const mismatched = await who.call('readPayment', {
        params: { id: ids.payment },
        query: { applicationId },
      })
      expect(mismatched).toMatchObject({ kind: 'failed', status: 404 })
    }
    const query = { applicationId: ids.application }
    const matched = await owner.call('readPayment', { params: { id: ids.payment }, query })
    expect(bodyOf(matched).data.id).toBe(ids.payment)
  })

  it('an id of another kind of data answers 404', async () => {
    for (const name of callsWithIds) {
      const swapped = {
        ...ids,
        application: ids.payment,
        appointment: ids.application,
        payment: ids.appointment,
        session: ids.application,
      }
      expect(await ask(owner, name, swapped), name).toMatchObject({ kind: 'failed', status: 404 })
    }
  })
})

const notSignedIn = { kind: 'failed', status: 401, failure: { reason: 'not-signed-in' } }

function alterToken(token: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.')
  return `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
}

async function compare(name: EndpointName) {
  const of = { ...ids, application: unusedId, appointment: unusedId, payment: unusedId, session: unusedId }
  return { foreign: await measure(name, ids), missing: await measure(name, of) }
}

async function measure(name: EndpointName, of: typeof ids) {
  recorded.takeKinds()
  const started = performance.now()
  const answer = await ask(recordedStranger, name, of)
  return { answer, time: performance.now() - started, work: recorded.takeKinds() }
}

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
  confirmContact: { body: { msisdn: '', email: 'awa@example.cm', otp: '123456' } },
  downloadData: { query: { format: 'json' } },
  askProofCode: { body: { kind: 'phone' } },
  proveContact: { body: { kind: 'phone', otp: '123456' } },
  removeContact: { body: { kind: 'phone' } },
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
  await server.advanceSeconds(1)
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
  const [session] = bodyOf(await owner.call('readAccount')).data.sessions
  return {
    application: id,
    number: applicationNumber,
    appointment,
    payment: payment.id,
    office,
    session: session?.id ?? '',
  }
}
