import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import { Failure } from '#contract/failure.ts'
import type { Endpoint } from '#contract/open-endpoints.ts'
import { type ProblemCode, problems } from '#contract/problems.ts'
import { openForm } from '#server/features/applications/stored-form.ts'
import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { countsThreadTime, longestOwnTurnMs, ownThreadMs } from '#support/servers/main-thread.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { isFullRun } from '#support/test-tier.ts'
import { changeRequest, keyOf, type SentRequest } from './changed-requests.ts'
import { createSubject, stages, type Subject, validRequests } from './valid-requests.ts'

const firstSeed = Number(process.env['FUZZ_SEED'] ?? 20_261_126)
const inputs = Number(process.env['INPUTS'] ?? (isFullRun ? 20_000 : 400))
/** A new server on an empty database after so many inputs, so that tables stay small in a long run. */
const inputsPerServer = 5_000
/** A new applicant after so many: inputs end sessions and use up limits. */
const inputsPerApplicant = 40
/** A prime number: in one round each call comes once, but not in the order of the contract. */
const stride = 23
/** The longest time for which one request may hold the main thread (D121), and how often a slow one is sent again. */
const mostMs = 50
const repetitions = 4
const names = Object.keys(endpoints) as EndpointName[] // keys of the contract

type Tally = {
  byAnswer: Map<string, number>
  sent: number
  accepted: number
  limited: number
  faults: string[]
  slowest: { ms: number; what: string }[]
}

it(
  `answers ${inputs} generated requests with a success or a listed failure, and stores nothing by halves (D11, D12)`,
  async () => {
    const tally: Tally = { byAnswer: new Map(), sent: 0, accepted: 0, limited: 0, faults: [], slowest: [] }
    for (let done = 0; done < inputs; done += inputsPerServer) {
      await runOnOneServer(firstSeed + done, Math.min(inputsPerServer, inputs - done), tally)
      if (isFullRun || inputs > 2_000) process.stdout.write(summaryOf(tally))
    }
    expect(tally.faults).toEqual([])
    expect(tally.sent).toBe(inputs)
    // Otherwise only the first checks of each call would have been tested.
    expect(tally.accepted / tally.sent).toBeGreaterThan(0.15)
    expect(tally.limited / tally.sent).toBeLessThan(0.2)
    if (inputs >= names.length) expect(namesWithoutAnswer(tally)).toEqual([])
  },
  Math.max(60_000, inputs * 100),
)

async function runOnOneServer(seed: number, count: number, tally: Tally): Promise<void> {
  const server = await startTestServer()
  try {
    const random = createRandomSource(seed)
    const foreign = await createSubject(server, 'booked', '237650000001')
    const before = await rowsOf(server, foreign)
    let of = foreign
    let key = keyOf(random)
    let subjects = 0
    let hasSession = false
    for (let index = 0; index < count; index += 1) {
      if (!hasSession || index % inputsPerApplicant === 0) {
        of = await createSubject(server, random.pick(stages), `2376${70_000_000 + subjects}`)
        subjects += 1
      }
      const name = nameAt(index)
      const { request, applied } = changeRequest(name, validRequests(of, random)[name], {
        of,
        foreign,
        random,
        key,
      })
      key = random.below(4) === 0 ? String(request.headers['idempotency-key'] ?? key) : key
      const label = `seed ${seed}, input ${index}, ${name}, ${applied.join(' ')}`
      const status = await sendOne(server, { name, request, label }, { tally, random })
      hasSession = name !== 'endSession' || status !== 200
    }
    await checkRows(server, { foreign, before, seed }, tally)
    const bugs = server.warnings.filter(({ level }) => level === 'error')
    for (const { message, fields } of bugs)
      tally.faults.push(`seed ${seed}: ${message} ${describeError(fields)}`)
  } finally {
    await server.close()
  }
}

/** Adds what the database has wrong to the faults, so that one fault hides no other. */
async function checkRows(
  server: TestServer,
  { foreign, before, seed }: { foreign: Subject; before: string; seed: number },
  { faults }: Tally,
): Promise<void> {
  if ((await rowsOf(server, foreign)) !== before)
    faults.push(`seed ${seed}: another applicant's rows changed`)
  for (const [kind, count] of Object.entries(await findHalves(server)))
    if (count !== 0) faults.push(`seed ${seed}: ${count} rows are halves: ${kind}`)
  for (const id of await unreadableForms(server))
    faults.push(`seed ${seed}: the form of ${id} cannot be read`)
}

/** Every call is sent equally often; each round begins with another one. */
function nameAt(index: number): EndpointName {
  const round = Math.floor(index / names.length)
  const name = names[(index * stride + round * 13) % names.length]
  if (name === undefined) throw new Error('no call')
  return name
}

type Sent = { name: EndpointName; request: SentRequest; label: string }

/** Many networks, so that the limits of one network do not answer for the code behind them. */
async function sendOne(
  server: TestServer,
  { name, request, label }: Sent,
  { tally, random }: { tally: Tally; random: RandomSource },
): Promise<number> {
  const remoteAddress = `${random.below(200) + 11}.${random.below(256)}.${random.below(256)}.9`
  server.clock.advanceSeconds(0.5)
  const before = countsThreadTime ? ownThreadMs() : 0
  const response = await server.app.inject({ ...request, remoteAddress })
  const ms = countsThreadTime ? ownThreadMs() - before : 0
  const { statusCode: status } = response
  tally.sent += 1
  const answer = `${name} ${status}`
  tally.byAnswer.set(answer, (tally.byAnswer.get(answer) ?? 0) + 1)
  // A 404 may be that of an unknown path, so it does not count.
  if (status === 200 || status === 409) tally.accepted += 1
  if (status === 429) tally.limited += 1
  const fault = faultOf(endpoints[name], response)
  if (fault !== undefined) tally.faults.push(`${label}: ${status} ${fault}`)
  if (ms > mostMs) {
    tally.slowest.push({ ms: Math.round(ms), what: label })
    const held = await heldMs(server, { ...request, remoteAddress })
    if (held > mostMs)
      tally.faults.push(`${label}: ${status} holds the main thread for ${held.toFixed(0)} ms`)
  }
  return status
}

/**
 * The longest turn of the event loop, in CPU time, of the best of some repetitions: the first time code may be loaded
 * and compiled, and any turn may collect garbage. A new key each time, because the answer to a known key costs nothing.
 */
async function heldMs(server: TestServer, request: SentRequest & { remoteAddress: string }): Promise<number> {
  const turns = []
  for (let time = 0; time < repetitions; time += 1) {
    const headers = { ...request.headers }
    if ('idempotency-key' in headers) headers['idempotency-key'] = randomUUID()
    server.clock.advanceSeconds(0.5)
    turns.push(await longestOwnTurnMs(() => server.app.inject({ ...request, headers })))
  }
  return Math.min(...turns)
}

/** Why an answer is none of the contract; undefined when it is one. */
function faultOf(
  { answer }: Endpoint,
  response: { statusCode: number; headers: Record<string, unknown>; body: string },
): string | undefined {
  if (response.statusCode >= 500) return `server error ${response.body.slice(0, 200)}`
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  if (!isJson) return answer === 'file' && response.statusCode === 200 ? undefined : 'is no JSON'
  const body: unknown = JSON.parse(response.body)
  const hasReason = typeof body === 'object' && body !== null && 'reason' in body
  if (!hasReason && response.statusCode < 400)
    return answer !== 'file' && answer.safeParse(body).success
      ? undefined
      : 'is not the answer of the contract'
  const failure = Failure.safeParse(body)
  const reason = failure.success ? failure.data.reason : undefined
  if (!isProblem(reason)) return `has the reason ${String(reason)}`
  return problems[reason].http === response.statusCode ? undefined : `has the reason ${reason}`
}

function isProblem(reason: string | undefined): reason is ProblemCode {
  return reason !== undefined && Object.hasOwn(problems, reason)
}

function namesWithoutAnswer({ byAnswer }: Tally): string[] {
  const answered = new Set([...byAnswer.keys()].map(each => each.split(' ')[0]))
  return names.filter(name => !answered.has(name))
}

/** All rows of an applicant whom no input may change, as the database has them. */
async function rowsOf({ services }: TestServer, { applicant, application }: Subject): Promise<string> {
  const { rows } = await sql`
    select 'applicant' as kind, row_to_json(t)::text as text from applicant t where id = ${applicant.applicantId}
    union all select 'contact', row_to_json(t)::text from contact t where applicant_id = ${applicant.applicantId}
    union all select 'session', row_to_json(t)::text from session t where applicant_id = ${applicant.applicantId}
    union all select 'application', row_to_json(t)::text from application t where applicant_id = ${applicant.applicantId}
    union all select 'payment', row_to_json(t)::text from payment t where application_id = ${application}
    union all select 'appointment', row_to_json(t)::text from appointment t where application_id = ${application}
    union all select 'place', row_to_json(t)::text from place t where applicant_id = ${applicant.applicantId}
      or appointment_id in (select id from appointment where application_id = ${application})
    order by 1, 2`.execute(services.db)
  return JSON.stringify(rows)
}

/** Counts rows that only a write by halves could leave. */
async function findHalves({ services }: TestServer): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::integer from idempotency where status is null or answer is null) as keys,
    (select count(*)::integer from appointment where state = 'CONFIRMED' and starts_at is not null
      and not exists (select from place where appointment_id = appointment.id and held_until is null)) as bookings,
    (select count(*)::integer from place left join appointment on appointment.id = place.appointment_id
      where place.appointment_id is not null and place.held_until is null
      and appointment.state is distinct from 'CONFIRMED') as places,
    (select count(*)::integer from (select appointment_id from place where appointment_id is not null
      group by appointment_id having count(*) > 1) as doubled) as twice,
    (select count(*)::integer from application where state not in ('NEW', 'DATA_SAVED', 'DELETED')
      and not exists (select from payment where application_id = application.id and status = 'SUCCESS')) as unpaid,
    (select count(*)::integer from payment join application on application.id = payment.application_id
      where payment.status = 'SUCCESS' and application.state in ('NEW', 'DATA_SAVED')) as unrecorded`.execute(
    services.db,
  )
  return rows[0] ?? {}
}

/** The ids of applications whose stored answers cannot be opened and read by the contract. */
async function unreadableForms({ services }: TestServer): Promise<string[]> {
  const rows = await services.db.selectFrom('application').select(['id', 'data']).execute()
  return rows.filter(row => !opens(() => openForm(services, row))).map(({ id }) => id)
}

function opens(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function describeError(fields: object): string {
  const error: unknown = 'err' in fields ? fields.err : undefined
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : ''
}

function summaryOf({ sent, accepted, limited, faults, slowest, byAnswer }: Tally): string {
  const byStatus = new Map<string, number>()
  for (const [answer, count] of byAnswer) {
    const status = answer.split(' ')[1] ?? ''
    byStatus.set(status, (byStatus.get(status) ?? 0) + count)
  }
  const statuses = [...byStatus].map(([status, count]) => `${status}: ${count}`).toSorted()
  const share = ((100 * accepted) / sent).toFixed(1)
  const lines = [
    `seed ${firstSeed}: ${sent} inputs, ${share} % past validation, ${limited} limited, ${faults.length} faults; ${statuses.join(', ')}`,
    ...faults.slice(-5),
    `${slowest.length} inputs took more than ${mostMs} ms of CPU at the first time`,
    ...slowest
      .sort((one, other) => other.ms - one.ms)
      .slice(0, 5)
      .map(({ ms, what }) => `  ${ms} ms: ${what}`),
  ]
  const answers =
    sent >= inputs ? [...byAnswer].map(([answer, count]) => `  ${answer}: ${count}`).toSorted() : []
  return `${[...lines, ...answers].join('\n')}\n`
}
