import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { createRandomSource, type RandomSource } from '#support/random-source.ts'
import { countsThreadTime, longestOwnTurnMs, ownThreadMs } from '#support/servers/main-thread.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { isFullRun } from '#support/test-tier.ts'
import { knownMessage, reportKey } from './webhooks.ts'
import { keyOf, type SentRequest } from './changed-requests.ts'
import { decode } from './faults.ts'
import { createOutsidePayments, providerAccounts } from './outside-payments.ts'
import { createServedPortal } from './served-portal.ts'
import { countIncompleteWrites, rowsOf, unreadableForms, wronglyPaid } from './stored-rows.ts'
import { createSubject, type Order, stages, type Subject } from './valid-requests.ts'
import type { BuiltRequest, Way } from './way.ts'
import { createWays } from './ways.ts'

const firstSeed = Number(process.env['FUZZ_SEED'] ?? 20_261_126)
const inputs = Number(process.env['INPUTS'] ?? (isFullRun ? 20_000 : 400))
/**
 * After this number of inputs the test opens a new server on an empty database, so that tables stay small in a long
 * run.
 */
const inputsPerServer = 5_000
/** After at most this number of inputs the test takes a new applicant: inputs end sessions and use up limits. */
const inputsPerApplicant = 40
/** A prime number above the number of ways: each round uses every way once, but not in the order of the list. */
const stride = 101
/**
 * The longest time for which one request may block the main thread (D121), and how often the test repeats a slow one.
 */
const maxTurnMs = 50
const repetitions = 4
/** From how many orders of earlier applicants the webhooks choose. */
const maxEarlierOrders = 50

type Tally = {
  byAnswer: Map<string, number>
  sent: number
  pastValidation: number
  limited: number
  faults: string[]
  slow: { ms: number; what: string }[]
}

/** The routes that the current server has registered, as "METHOD /path". */
const registered = new Set<string>()
const noteRoutes = (message: unknown) => {
  // Fastify's documentation of the channel names this type.
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) registered.add(`${each} ${url}`)
  })
}
let portal: ReturnType<typeof createServedPortal>
beforeAll(() => {
  // Fastify and its injected responses add more listeners to the stream of a file than Node expects; real responses
  // have fewer.
  EventEmitter.defaultMaxListeners = 20
  subscribe('fastify.initialization', noteRoutes)
  portal = createServedPortal()
})
afterAll(() => {
  unsubscribe('fastify.initialization', noteRoutes)
  portal.remove()
})

it(
  `answers ${inputs} generated requests with a success or a listed failure, and leaves no incomplete write (D11, D12, D42)`,
  async () => {
    const tally: Tally = { byAnswer: new Map(), sent: 0, pastValidation: 0, limited: 0, faults: [], slow: [] }
    for (let done = 0; done < inputs; done += inputsPerServer) {
      await runOnOneServer(firstSeed + done, Math.min(inputsPerServer, inputs - done), tally)
      if (isFullRun || inputs > 2_000) process.stdout.write(summaryOf(tally))
    }
    expect(tally.faults).toEqual([])
    expect(tally.sent).toBe(inputs)
    // Otherwise only the first checks of each call would have been tested.
    expect(tally.pastValidation / tally.sent).toBeGreaterThan(0.15)
    expect(tally.limited / tally.sent).toBeLessThan(0.2)
  },
  // One request takes up to 50 ms at rest, and several times more on a busy machine.
  Math.max(300_000, inputs * 100),
)

async function runOnOneServer(seed: number, count: number, tally: Tally): Promise<void> {
  const server = await openServer(seed)
  try {
    const { ways } = server
    const random = createRandomSource(seed)
    const foreign = await createSubject(server, 'booked', '237650000001')
    await setGatewayId(server)
    const before = await rowsOf(server, foreign)
    const earlier: Order[] = []
    let subject = foreign
    let key = keyOf(random)
    let subjects = 0
    let hasSession = false
    for (let index = 0; index < count; index += 1) {
      if (!hasSession || index % inputsPerApplicant === 0) {
        if (subject.order) earlier.push(subject.order)
        if (earlier.length > maxEarlierOrders) earlier.shift()
        subject = await createSubject(server, random.pick(stages), `2376${70_000_000 + subjects}`)
        subjects += 1
      }
      const way = wayAt(ways, index)
      const built = way.build({ subject, foreign, random, key, earlier })
      key = random.below(4) === 0 ? String(built.request.headers['idempotency-key'] ?? key) : key
      const label = `seed ${seed}, input ${index}, ${way.name}, ${built.applied.join(' ')}`
      const status = await sendOne(server, { way, built, label }, { tally, random })
      hasSession = way.name !== 'endSession' || status !== 200
    }
    await checkRows(server, { foreign, before, seed }, tally)
    const bugs = server.warnings.filter(({ level }) => level === 'error')
    for (const { message, fields } of bugs)
      tally.faults.push(`seed ${seed}: ${message} ${describeError(fields)}`)
    if (count >= ways.length) expect(namesWithoutAnswer(ways, tally)).toEqual([])
    expect(registered.size).toBeGreaterThan(50)
    expect(routesWithoutWay(ways)).toEqual([])
  } finally {
    await server.close()
  }
}

type FuzzServer = TestServer & { ways: readonly Way[]; paid: ReadonlySet<string> }

/** A server with everything that it can register: the portal, an emblem, all payment providers, reports of SMS. */
async function openServer(seed: number): Promise<FuzzServer> {
  registered.clear()
  const { providers, paid } = createOutsidePayments(seed)
  const server = await startTestServer({
    staticRoot: portal.root,
    providers,
    env: {
      ...providerAccounts,
      ISSUER_EMBLEM: 'data:image/png;base64,iVBORw==',
      SMS_REPORT_KEY: reportKey,
    },
  })
  return { ...server, ways: createWays(server.services.config), paid }
}

/** Gives the newest message the gateway id that the generated delivery reports use. */
async function setGatewayId({ services }: TestServer): Promise<void> {
  const newest = services.db.selectFrom('outbox').select('id').orderBy('id', 'desc').limit(1)
  await services.db
    .updateTable('outbox')
    .set({ provider: 'infobip', provider_reference: knownMessage })
    .where('id', '=', newest)
    .execute()
}

/** Adds each wrong row of the database to the faults, so that one fault does not hide another. */
async function checkRows(
  server: FuzzServer,
  { foreign, before, seed }: { foreign: Subject; before: string; seed: number },
  { faults }: Tally,
): Promise<void> {
  if ((await rowsOf(server, foreign)) !== before)
    faults.push(`seed ${seed}: another applicant's rows changed`)
  for (const [kind, count] of Object.entries(await countIncompleteWrites(server)))
    if (count !== 0) faults.push(`seed ${seed}: ${count} rows of an incomplete write: ${kind}`)
  for (const id of await unreadableForms(server))
    faults.push(`seed ${seed}: the form of ${id} cannot be read`)
  for (const payment of await wronglyPaid(server, server.paid))
    faults.push(`seed ${seed}: paid without its provider's success, or of another amount: ${payment}`)
}

/** Returns the way of an input. All ways are used equally often, and each round begins with another way. */
function wayAt(ways: readonly Way[], index: number): Way {
  const round = Math.floor(index / ways.length)
  const way = ways[(index * stride + round * 13) % ways.length]
  if (way === undefined) throw new Error('no way')
  return way
}

type Sent = { way: Way; built: BuiltRequest; label: string }

/**
 * Sends one request and checks its answer. Each request has a random network, so that the limits of one network do not
 * refuse it before the code under test runs.
 */
async function sendOne(
  server: TestServer,
  { way, built, label }: Sent,
  { tally, random }: { tally: Tally; random: RandomSource },
): Promise<number> {
  const { request, must } = built
  const remoteAddress = `${random.below(200) + 11}.${random.below(256)}.${random.below(256)}.9`
  server.clock.advanceSeconds(0.5)
  const before = countsThreadTime ? ownThreadMs() : 0
  const response = await server.app.inject({ ...request, remoteAddress })
  const ms = countsThreadTime ? ownThreadMs() - before : 0
  const { statusCode: status } = response
  tally.sent += 1
  const answer = `${way.name} ${status}`
  tally.byAnswer.set(answer, (tally.byAnswer.get(answer) ?? 0) + 1)
  // A 404 may mean an unknown path, so it does not count.
  if (status === 200 || status === 409) tally.pastValidation += 1
  if (status === 429) tally.limited += 1
  const fault = way.faultOf(decode(response))
  if (fault !== undefined) tally.faults.push(`${label}: ${status} ${fault}`)
  if (must !== undefined && status !== must) tally.faults.push(`${label}: ${status} is not ${must}`)
  if (ms > maxTurnMs) {
    tally.slow.push({ ms: Math.round(ms), what: label })
    const turnMs = await shortestTurnMs(server, { ...request, remoteAddress })
    if (turnMs > maxTurnMs)
      tally.faults.push(`${label}: ${status} blocks the main thread for ${turnMs.toFixed(0)} ms`)
  }
  return status
}

/**
 * Repeats a request and returns the longest turn of the event loop in the fastest repetition, in milliseconds of CPU
 * time: the first request may load and compile code, and any turn may collect garbage. A request with an idempotency
 * key gets a new key at each repetition, because the answer to a known key is only read.
 */
async function shortestTurnMs(
  server: TestServer,
  request: SentRequest & { remoteAddress: string },
): Promise<number> {
  const turns = []
  for (let time = 0; time < repetitions; time += 1) {
    const headers = { ...request.headers }
    if ('idempotency-key' in headers) headers['idempotency-key'] = randomUUID()
    server.clock.advanceSeconds(0.5)
    turns.push(await longestOwnTurnMs(() => server.app.inject({ ...request, headers })))
  }
  return Math.min(...turns)
}

function namesWithoutAnswer(ways: readonly Way[], { byAnswer }: Tally): string[] {
  const answered = new Set([...byAnswer.keys()].map(each => each.split(' ')[0]))
  return ways.map(({ name }) => name).filter(name => !answered.has(name))
}

/** Returns the registered routes that no way uses. A changed GET may become a HEAD, so HEAD needs no way. */
function routesWithoutWay(ways: readonly Way[]): string[] {
  const reached = new Set(ways.flatMap(({ routes }) => routes))
  return [...registered].filter(route => !reached.has(route.replace(/^HEAD /, 'GET ')))
}

function describeError(fields: object): string {
  const error: unknown = 'err' in fields ? fields.err : undefined
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : ''
}

function summaryOf({ sent, pastValidation, limited, faults, slow, byAnswer }: Tally): string {
  const byStatus = new Map<string, number>()
  for (const [answer, count] of byAnswer) {
    const status = answer.split(' ')[1] ?? ''
    byStatus.set(status, (byStatus.get(status) ?? 0) + count)
  }
  const statuses = [...byStatus].map(([status, count]) => `${status}: ${count}`).toSorted()
  const share = ((100 * pastValidation) / sent).toFixed(1)
  const lines = [
    `seed ${firstSeed}: ${sent} inputs, ${share} % past validation, ${limited} limited, ${faults.length} faults; ${statuses.join(', ')}`,
    ...faults.slice(-5),
    `${slow.length} inputs took more than ${maxTurnMs} ms of CPU at the first time`,
    ...slow
      .sort((one, other) => other.ms - one.ms)
      .slice(0, 5)
      .map(({ ms, what }) => `  ${ms} ms: ${what}`),
  ]
  const answers =
    sent >= inputs ? [...byAnswer].map(([answer, count]) => `  ${answer}: ${count}`).toSorted() : []
  return `${[...lines, ...answers].join('\n')}\n`
}
