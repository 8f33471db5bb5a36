import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import { apiRoot, idempotencyHeader } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import {
  isForged,
  isSessionLive,
  liveSessionQuery,
  readBearer,
} from '#server/features/session/access-token.ts'
import { parseFormBodies } from './bodies.ts'
import {
  type Caller,
  type Handlers,
  type LikelyRefusal,
  type LikelyRefusals,
  localWrites,
  type OutdatedAnswers,
  type Refusal,
} from '#server/calls/call.ts'
import type { TakeOfAsker } from '#server/calls/asker-limit.ts'
import { refuseForSeconds, type TakeAllowance } from '#server/calls/rate-limit.ts'
import { createCallLimit, createKeyLimit } from './call-limit.ts'
import { readCookie } from './cookies.ts'
import { countCall, countRefusal } from './count-calls.ts'
import { addRetryAfter, languageOf, sendRefusal, toFailure } from './failures.ts'
import {
  fingerprintOf,
  hasStored,
  isIdempotencyKey,
  isKeyStored,
  type CallOutcome,
  type FindLikelyRefusal,
  type Intent,
  runInTransaction,
  runInTwoSteps,
} from './idempotency.ts'
import { createEndedSessions, type EndedSessions } from './ended-sessions.ts'
import { createForgeryRecorder, type RecordForgery } from './forgery-events.ts'
import { createRefusedCallRecorder, type RecordRefusedCall } from './refused-call-events.ts'
import { callPriorityOf } from './load-shedding.ts'
import { type RequestParts, readParts } from './parts.ts'
import { senderOf } from './same-origin.ts'
import { openTransport, readBearerToken, type SentFile } from './transport.ts'

/** Mounts every call of the contract. The contract's schemas check each request, and each answer except files and refusals. */
export function registerEndpoints(
  app: FastifyInstance,
  services: Services,
  calls: { handlers: Handlers; likelyRefusals: LikelyRefusals; outdatedAnswers: OutdatedAnswers },
): void {
  const names = Object.keys(endpoints).filter(isEndpointName)
  const server = {
    services,
    ...calls,
    takeCall: createCallLimit(services),
    takeKey: createKeyLimit(services),
    endedSessions: createEndedSessions(),
    recordForgery: createForgeryRecorder(services),
    recordRefusedCall: createRefusedCallRecorder(services),
  }
  for (const name of names.filter(each => accessOf(each) !== 'ticket')) mount(app, name, server)
  // With a ticket a browser downloads one receipt: it posts the ticket as a field of an HTML form (S13).
  app.register(async forms => {
    parseFormBodies(forms)
    for (const name of names.filter(each => accessOf(each) === 'ticket')) mount(forms, name, server)
  })
}

type Server = {
  services: Services
  handlers: Handlers
  likelyRefusals: LikelyRefusals
  outdatedAnswers: OutdatedAnswers
  takeCall: TakeOfAsker
  takeKey: TakeAllowance
  endedSessions: EndedSessions
  recordForgery: RecordForgery
  recordRefusedCall: RecordRefusedCall
}
type Exchange = { name: EndpointName; request: FastifyRequest; reply: FastifyReply }

function mount(app: FastifyInstance, name: EndpointName, server: Server): void {
  const { method, path } = endpoints[name]
  app.route({
    method,
    url: `${apiRoot}${path}`,
    config: { priority: callPriorityOf(name, endpoints[name]) },
    handler: (request, reply) => answer({ name, request, reply }, server),
  })
}

async function answer(exchange: Exchange, server: Server): Promise<FastifyReply> {
  const { name, request, reply } = exchange
  const endpoint: Endpoint = endpoints[name]
  const foreign = refuseForeignPage(endpoint, request, server)
  if (foreign) {
    await server.recordForgery('foreign-page-refused', request.ip)
    return sendRefusal(request, reply, foreign)
  }
  const caller = endpoint.access === 'applicant' ? await readTokenCaller(request, server.services) : undefined
  if (endpoint.access === 'applicant' && !caller) {
    if (isForged(server.services, readBearerToken(request)))
      await server.recordForgery('token-refused', request.ip)
    return sendRefusal(request, reply, { refused: 'not-signed-in' })
  }
  if (caller && server.endedSessions.has(caller.sessionId)) return refuseEnded(exchange, server, caller)
  const { applicantId } = caller ?? {}
  const seconds = applicantId === undefined ? 0 : await server.takeCall({ applicantId, address: request.ip })
  if (seconds > 0) {
    const refusal = refuseForSeconds(seconds)
    server.recordRefusedCall({ refusal, caller, parts: noParts, address: request.ip, reply })
    return sendRefusal(request, reply, refusal)
  }
  const read = readParts(endpoint, request)
  const key = endpoint.writes && caller ? request.headers[idempotencyHeader] : undefined
  // `write` checks the session in the statement that claims the key.
  if (caller && read.kind === 'parts' && isIdempotencyKey(key))
    return write(exchange, server, { caller, parts: read.parts, key })
  if (caller && !(await isSessionLive(server.services, caller))) return refuseEnded(exchange, server, caller)
  if (read.kind === 'errors') return sendRefusal(request, reply, { refused: 'invalid', errors: read.errors })
  if (key !== undefined)
    return sendRefusal(request, reply, {
      refused: 'invalid',
      errors: [{ field: idempotencyHeader, message: 'not-valid' }],
    })
  return run(exchange, server, { caller, parts: read.parts })
}

/** Refuses a valid token whose session has ended, and remembers the session for its next calls. */
function refuseEnded(
  { request, reply }: Exchange,
  { endedSessions }: Server,
  { sessionId }: Caller,
): FastifyReply {
  endedSessions.add(sessionId)
  return sendRefusal(request, reply, { refused: 'not-signed-in' })
}

/** For the record of a call that a limit refuses with `too-many-requests`: this record does not use the parts. */
const noParts: RequestParts = { params: {}, query: {}, body: {} }

/** Reads the caller from the Authorization header. Undefined without a valid token. The session may have ended. */
async function readTokenCaller(request: FastifyRequest, services: Services): Promise<Caller | undefined> {
  const token = readBearerToken(request)
  return token === undefined ? undefined : readBearer(services, token)
}

/**
 * Returns the refusal of a call that a foreign page sent, except a GET; undefined for other calls. A call that the cookie
 * authorises must also prove that a page of the portal sent it. A log-out with an access token and without the cookie needs
 * no such proof, because no foreign page knows the token.
 */
function refuseForeignPage(
  endpoint: Endpoint,
  request: FastifyRequest,
  { services }: Server,
): Refusal | undefined {
  if (endpoint.method === 'GET') return undefined
  const sender = senderOf(request, services.config)
  const needsPage =
    endpoint.access === 'cookie' &&
    (readCookie(request, services.config, 'refresh') !== undefined || readBearerToken(request) === undefined)
  const refused = needsPage ? sender !== 'portal' : sender === 'foreign'
  return refused ? { refused: 'forbidden' } : undefined
}

type KeyedCall = { caller: Caller; parts: RequestParts; key: string }

/**
 * Runs a write with a key. Beyond the limit of stored answers (D69) a write runs only if its key has a row, or if it needs no
 * row (`endingWrites`): so no retry of a stored write is refused. A write that stores no answer does not count: neither a
 * refusal that is not stored nor a repeat of a stored answer.
 */
async function write(exchange: Exchange, server: Server, call: KeyedCall): Promise<FastifyReply> {
  const { services, takeKey } = server
  const { applicantId } = call.caller
  const intent: Intent = {
    scope: `${applicantId} ${exchange.name}`,
    key: call.key,
    fingerprint: fingerprintOf(call.parts, services.secrets.codeKey),
    liveSession: liveSessionQuery(services, call.caller),
    isOutdated: outdatedCheckOf(exchange.name, server, call),
  }
  const seconds = takeKey(applicantId)
  if (seconds > 0 && !(await isKeyStored(services.db, intent)))
    return answerWithoutRow(exchange, server, { ...call, seconds })
  let isRowStored = false
  try {
    const counted = createCounted(exchange, server, call)
    const outcome = await runIntent(exchange, server, { ...call, intent, counted })
    isRowStored = hasStored(outcome)
    // The statement that claims the key has found no open session.
    if ('refused' in outcome && outcome.refused === 'not-signed-in')
      return refuseEnded(exchange, server, call.caller)
    return sendCounted(exchange, counted, outcome)
  } finally {
    if (!isRowStored && seconds === 0) takeKey(applicantId, -1)
  }
}

function runIntent(
  exchange: Exchange,
  server: Server,
  { intent, counted, ...call }: KeyedCall & { intent: Intent; counted: ReturnType<typeof createCounted> },
): Promise<CallOutcome | Refusal> {
  return isLocalWrite(exchange.name)
    ? runInTransaction(server.services, intent, counted.execute, likelyRefusalOf(exchange, server, call))
    : runInTwoSteps(server.services, intent, () => counted.execute())
}

/** Writes that end something and may run twice: they need no row, so a thief who uses up the limit cannot stop the owner. */
const endingWrites: readonly EndpointName[] = ['endSession', 'endOtherSessions', 'stopWatch']

/** Answers a write with a new key beyond the limit of stored answers: refuses it, unless it needs no row. */
async function answerWithoutRow(
  exchange: Exchange,
  server: Server,
  { caller, parts, seconds }: KeyedCall & { seconds: number },
): Promise<FastifyReply> {
  const { name, request, reply } = exchange
  if (!(await isSessionLive(server.services, caller))) return refuseEnded(exchange, server, caller)
  if (endingWrites.includes(name)) return run(exchange, server, { caller, parts })
  const refusal = refuseForSeconds(seconds)
  server.recordRefusedCall({ refusal, caller, parts: noParts, address: request.ip, reply })
  return sendRefusal(request, reply, refusal)
}

/** Returns a function, because the process may learn of a likely refusal while the call waits for a connection. */
function likelyRefusalOf(
  { name, request }: Exchange,
  { likelyRefusals }: Server,
  { caller, parts }: { caller: Caller; parts: RequestParts },
): FindLikelyRefusal | undefined {
  // The compiler cannot connect a name with its row of the table: see `execute()`.
  const find = (likelyRefusals as Record<string, unknown>)[name] as
    | ((call: unknown) => LikelyRefusal | undefined)
    | undefined
  if (find === undefined) return undefined
  const language = languageOf(request)
  return () => {
    const likely = find({ ...parts, caller, language })
    if (likely === undefined) return undefined
    const { refusal, proof } = likely
    return { proof, outcome: toFailure(refusal, language), onProved: () => countRefusal(name, refusal) }
  }
}

function outdatedCheckOf(
  name: EndpointName,
  { outdatedAnswers }: Server,
  { caller, parts }: { caller: Caller; parts: RequestParts },
): Intent['isOutdated'] {
  // The compiler cannot connect a name with its row of the table: see `execute()`.
  const check = (outdatedAnswers as Record<string, unknown>)[name] as
    | ((call: unknown, storedAnswer: CallOutcome['body']) => Promise<boolean>)
    | undefined
  return check && ((db, storedAnswer) => check({ ...parts, caller, db }, storedAnswer))
}

async function run(
  exchange: Exchange,
  server: Server,
  call: { caller: Caller | undefined; parts: RequestParts },
): Promise<FastifyReply> {
  if (isLocalWrite(exchange.name)) {
    const counted = createCounted(exchange, server, call)
    const outcome = await runInTransaction(server.services, undefined, counted.execute)
    return sendCounted(exchange, counted, outcome)
  }
  const result = await execute(exchange, server, call)
  result.count()
  return result.kind === 'file' ? sendFile(exchange.reply, result) : send(exchange.reply, result)
}

/** `count`: counts the call in the metrics, and records a refusal (D126). Call it when the effect is committed. */
type Result = { count: () => void } & (
  | ({ kind: 'answer' } & CallOutcome)
  | { kind: 'file'; bytes: Uint8Array; file: SentFile }
)

/** A transaction may run the call again, or fail at its end: only what its last run did counts. */
function createCounted(exchange: Exchange, server: Server, call: ExecutedCall) {
  let count: (() => void) | undefined
  return {
    execute: async (trx?: Transaction<Schema>): Promise<CallOutcome> => {
      const result = await execute(exchange, server, { ...call, trx })
      count = result.count
      return toOutcome(result)
    },
    count: () => count?.(),
  }
}

/** `trx`: set for local writes. */
type ExecutedCall = { caller: Caller | undefined; parts: RequestParts; trx?: Transaction<Schema> | undefined }

async function execute(
  { name, request, reply }: Exchange,
  { services, handlers, recordRefusedCall }: Server,
  { caller, parts, trx }: ExecutedCall,
): Promise<Result> {
  const { transport, sentFile, isCounted } = openTransport({
    request,
    reply,
    config: services.config,
    marksBrowser: name === 'auth' || name === 'addContact' || name === 'askProofCode',
  })
  const language = languageOf(request)
  // The parts have passed this endpoint's schemas. The compiler cannot connect a name with its row of the table.
  const handle = handlers[name] as unknown as (call: unknown) => Promise<unknown>
  const answered = await handle({ ...parts, caller, transport, language, trx })
  if (isRefusal(answered)) {
    addRetryAfter(reply, answered)
    const count = () => {
      countRefusal(name, answered)
      recordRefusedCall({ refusal: answered, caller, parts, address: request.ip, reply })
    }
    return { kind: 'answer', count, ...toFailure(answered, language) }
  }
  const count = () => {
    if (isCounted()) countCall(name, parts.body, answered)
  }
  const shape: Endpoint['answer'] = endpoints[name].answer
  if (shape !== 'file') return { kind: 'answer', count, status: 200, body: toBody(shape.parse(answered)) }
  if (!(answered instanceof Uint8Array))
    throw new Error(`The handler of ${name} returned no bytes, although its contract is a file.`)
  return {
    kind: 'file',
    count,
    bytes: answered,
    file: sentFile() ?? { name, type: 'application/octet-stream', inline: false },
  }
}

/**
 * Counts the call's own answer when its transaction has ended, also a refusal that is not stored. A refusal of the key
 * itself is no answer of the call, and neither is a repeated answer.
 */
function sendCounted(
  { request, reply }: Exchange,
  { count }: Pick<Result, 'count'>,
  outcome: CallOutcome | Refusal,
): FastifyReply {
  if ('refused' in outcome) return sendRefusal(request, reply, outcome)
  // Another call with the same key may have stored this answer while this call ran: then `count` is of a run that was undone.
  if (!outcome.isRepeated) count()
  return send(reply, outcome)
}

/** Every answer of the contract is an object. */
function toBody(parsed: unknown): CallOutcome['body'] {
  if (typeof parsed !== 'object' || parsed === null)
    throw new Error('The answer of a handler is not an object.')
  return { ...parsed }
}

function isRefusal(answered: unknown): answered is Refusal {
  return typeof answered === 'object' && answered !== null && 'refused' in answered
}

function toOutcome(result: Result): CallOutcome {
  if (result.kind === 'file')
    throw new Error('A local write, or a write with an idempotency key, must answer JSON, not a file.')
  return { status: result.status, body: result.body }
}

function send(reply: FastifyReply, { status, body }: CallOutcome): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

function sendFile(reply: FastifyReply, { bytes, file }: { bytes: Uint8Array; file: SentFile }): FastifyReply {
  const name = file.name.replace(/[^\w.-]/g, '_')
  return reply
    .type(file.type)
    .header('content-disposition', `${file.inline ? 'inline' : 'attachment'}; filename="${name}"`)
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

function isLocalWrite(name: EndpointName): boolean {
  return localWrites.some(each => each === name)
}

function isEndpointName(name: string): name is EndpointName {
  return name in endpoints
}

function accessOf(name: EndpointName): Endpoint['access'] {
  return endpoints[name].access
}
