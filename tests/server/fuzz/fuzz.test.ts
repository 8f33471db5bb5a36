import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import { Failure } from '#contract/failure.ts'
import { openForm as readStored } from '#server/features/applications/stored-form.ts'
import { listTables } from '#server/database/copy-database.ts'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import { busyOfficeId, openBusyOffice } from '#support/data/paying-applicants.ts'
import { createRandomSource } from '#support/random-source.ts'
import type { CallIds } from '#support/data/valid-calls.ts'
import { bodyOf, signInDirectly, type SignedInDirectly } from '#support/servers/api-client.ts'
import { bookApplication } from '#support/servers/booked-application.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { isFullRun } from '#support/test-tier.ts'
import { countViolations } from '../appointments/booking-fixture.ts'
import { type Cast, type FuzzRequest, generateRequest } from './generate-request.ts'

/** `INPUTS=1000000` sends a million. */
const inputs = Number(process.env['INPUTS'] ?? (isFullRun ? 50_000 : 1_200))
/** A busy machine takes some milliseconds for each. */
const timeoutMs = 60_000 + inputs * 30
const seed = Number(process.env['SEED'] ?? 1)
/** The limits of calls count for each applicant, so another one goes on after so many requests. */
const inputsOfOne = 250
const names = Object.keys(endpoints) as EndpointName[] // keys of the contract
const nobody: CallIds = {
  application: '018f3a00-0000-7000-8000-000000000001',
  number: 'PP-2026-999999-9',
  appointment: '018f3a00-0000-7000-8000-000000000002',
  payment: '018f3a00-0000-7000-8000-000000000003',
  office: '999',
  session: '018f3a00-0000-7000-8000-000000000004',
}

let server: TestServer
let bystander: { ids: CallIds; token: string; applicantId: string }

beforeAll(async () => {
  server = await startTestServer({
    env: {
      SMS_BUDGET_HOME: '10000000',
      SMS_BUDGET_ABROAD: '10000000',
      EMAIL_BUDGET: '10000000',
      NETWORK_CODES_PER_HOUR: '100000',
    },
  })
  await openBusyOffice(server.services.db)
  const person = await signInDirectly(server, { phone: '237671111111' })
  bystander = {
    ids: await bookApplication(server, person),
    token: person.token,
    applicantId: person.applicantId,
  }
})
afterAll(() => server?.close())

describe(`${inputs} generated requests of all calls, seed ${seed}`, () => {
  it(
    'get an answer of the contract, leave nothing half done, and change nothing of another applicant (D12, D13)',
    async () => {
      const random = createRandomSource(seed)
      const before = await rowsOf(bystander)
      const counts = new Map<string, number>()
      const faults: string[] = []
      const slow: { request: FuzzRequest; ms: number }[] = []
      let cast = await createCast()
      for (let input = 0; input < inputs && faults.length < 20; input += 1) {
        if (input % inputsOfOne === inputsOfOne - 1) cast = await createCast()
        const request = generateRequest(random, names[input % names.length] ?? 'version', cast)
        const answer = await send(request)
        countUp(counts, `${request.name} ${String(Math.floor(answer.status / 100))}xx`)
        // The session of this applicant has ended.
        if (request.name === 'endSession' && answer.status === 200) cast = await createCast()
        if (answer.fault !== undefined)
          faults.push(`input ${input}: ${answer.fault} ${describeRequest(request)}`)
        slow.push({ request, ms: answer.ms })
        if (slow.length > 2_000) keepSlowest(slow)
        if (input % 50_000 === 49_999) process.stdout.write(`${input + 1} requests\n`)
      }
      printCounts(counts)
      await printSlowest(slow)
      expect(faults).toEqual([])
      expect(await rowsOf(bystander)).toEqual(before)
      expect(await findHalfDone()).toEqual({})
      expect(server.warnings.filter(({ level }) => level === 'error')).toEqual([])
      // The others need a code or a provider. With refusals alone the run would say nothing about what comes after the checks.
      expect(names.filter(name => counts.has(`${name} 2xx`)).length).toBeGreaterThan(30)
    },
    timeoutMs,
  )
})

/** A new applicant with a draft, a paid and a booked application. */
async function createCast(): Promise<Cast> {
  const person = await signInDirectly(server, { email: `a${casts}-${seed}@example.cm` })
  const booked = await bookPaid(person)
  const paid = { ...booked, ...(await payFor(person)) }
  const { id, applicationNumber } = bodyOf(await person.call('createApplication')).data
  const draft = { ...booked, application: id, number: applicationNumber }
  return {
    token: person.token,
    cookie: 'refresh=unknown',
    own: [draft, paid, booked],
    foreign: [bystander.ids, nobody],
    foreignToken: bystander.token,
    usedKeys: [],
  }
}

/** Confirms an application and orders its payment; the database says that it is paid. */
async function payFor(
  person: SignedInDirectly,
): Promise<Pick<CallIds, 'application' | 'number' | 'payment'>> {
  const { id, applicationNumber } = bodyOf(await person.call('createApplication')).data
  bodyOf(await person.call('confirmData', { params: { id }, body: toWire(firstPassport) }))
  const payment = bodyOf(await person.call('startMockPayment', { query: { applicationId: id } })).data
  await server.services.db
    .updateTable('application')
    .set({ state: 'PAYMENT_DONE' })
    .where('id', '=', id)
    .execute()
  return { application: id, number: applicationNumber, payment: payment.id }
}

/** As `bookApplication`, without its waiting for the payment, which makes all rows older. */
async function bookPaid(person: SignedInDirectly): Promise<CallIds> {
  const paid = await payFor(person)
  const office = String(busyOfficeId)
  const date = dateInDays(2 + (casts % 40))
  const times = bodyOf(
    await person.call('listAvailableSlots', { params: { officeId: office }, query: { date } }),
  )
  const appointmentDate = `${date}T${times.data.data[casts % times.data.data.length] ?? ''}`
  casts += 1
  const body = { applicationId: paid.application, officeId: office, appointmentDate }
  const appointment = bodyOf(await person.call('createAppointment', { body })).data.id
  bodyOf(await person.call('confirmAppointment', { params: { id: appointment } }))
  const [session] = bodyOf(await person.call('readAccount')).data.sessions
  return { ...paid, appointment, office, session: session?.id ?? '' }
}

/** Spreads the appointments over the days. */
let casts = 0

async function send(request: FuzzRequest): Promise<{ status: number; ms: number; fault?: string }> {
  const { method, url, headers, payload, remoteAddress } = request
  const startMs = performance.now()
  const response = await server.app.inject({
    method,
    url,
    headers,
    remoteAddress,
    ...(payload !== undefined && { payload }),
  })
  const ms = performance.now() - startMs
  const { statusCode: status } = response
  const isBusy = status === 503 && response.headers['retry-after'] !== undefined
  if (status >= 500 && !isBusy) return { status, ms, fault: `status ${status}` }
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  if (status >= 400 && !isJson) return { status, ms, fault: `status ${status} without JSON` }
  if (status >= 400 && !Failure.safeParse(JSON.parse(response.body)).success)
    return {
      status,
      ms,
      fault: `status ${status}, not an answer of the contract: ${response.body.slice(0, 200)}`,
    }
  return { status, ms }
}

/** Every row of every table that names the applicant or what the applicant has. */
async function rowsOf({ ids, applicantId }: typeof bystander): Promise<string[]> {
  const marks = [applicantId, ids.application, ids.appointment, ids.payment, ids.session].map(id => `%${id}%`)
  const found: string[] = []
  for (const table of await listTables(server.services.db)) {
    const { rows } = await sql<{ row: string }>`
      select each::text as row from ${sql.table(table)} as each where each::text like any(${marks})`.execute(
      server.services.db,
    )
    found.push(...rows.map(({ row }) => `${table} ${row}`))
  }
  return found.toSorted()
}

/** Counts of what a call must not leave behind; without those that are 0. */
async function findHalfDone(): Promise<Record<string, number>> {
  const { db } = server.services
  const { rows } = await sql<{ claims: number }>`
    select count(*)::integer as claims from idempotency where status is null`.execute(db)
  const forms = await db.selectFrom('application').select(['id', 'data']).execute()
  const unreadable = forms.filter(row => {
    try {
      readStored(server.services, row)
      return false
    } catch {
      return true
    }
  })
  const found = {
    claims: rows[0]?.claims ?? 0,
    unreadable: unreadable.length,
    ...(await countViolations(db)),
  }
  return Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0))
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function printCounts(counts: Map<string, number>): void {
  const lines = names.map(name => {
    const parts = ['2xx', '3xx', '4xx', '5xx'].map(kind => `${kind} ${counts.get(`${name} ${kind}`) ?? 0}`)
    return `${name}: ${parts.join(', ')}`
  })
  process.stdout.write(`${lines.join('\n')}\n`)
}

function keepSlowest(slow: { request: FuzzRequest; ms: number }[]): void {
  slow.sort((one, other) => other.ms - one.ms)
  slow.length = 20
}

/** Sends the slowest again, five times each: the best time is the request's own, not that of a busy machine. */
async function printSlowest(slow: { request: FuzzRequest; ms: number }[]): Promise<void> {
  keepSlowest(slow)
  for (const { request, ms } of slow.slice(0, 8)) {
    let best = ms
    for (let turn = 0; turn < 5; turn += 1) best = Math.min(best, (await send(request)).ms)
    process.stdout.write(`${ms.toFixed(0)} ms, alone ${best.toFixed(0)} ms: ${describeRequest(request)}\n`)
  }
}

function describeRequest({ method, url, payload, headers }: FuzzRequest): string {
  const key = headers['idempotency-key'] ?? ''
  return `${method} ${url.slice(0, 200)} ${key} ${(payload ?? '').length} characters: ${(payload ?? '').slice(0, 300)}`
}
