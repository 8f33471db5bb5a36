import type { AnswerOutput, CallInput, EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import { answerNonceHeader, apiRoot, idempotencyHeader, sharedDeviceHeader } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import { loadOnce } from '#device/load-with-retry.ts'
import type { AnswerMarks } from './answer-marks.ts'
import type { Received } from './response-reader.ts'
import { busyReason, failed, type Problem, type Reach, type Result } from './result.ts'

export type CallOptions = {
  /** Idempotency key of the applicant's action (D13): made once, used until the server has answered. */
  key?: string | undefined
  /**
   * The applicant does not wait for this call, or its screen shows the failure itself: the portal shows no notice of it (S29),
   * and a busy service gets the call only once.
   */
  background?: boolean | undefined
  /**
   * The portal reads again what the page shows. A 403 or 429 without this server's field `reason` then opens no other
   * page (D89).
   */
  automatic?: boolean | undefined
  signal?: AbortSignal | undefined
  /**
   * Whether the applicant still wants this write. The client calls this before the first request, and before it sends the write
   * again after a 401 or to a busy service; for a `background` write it never does. If the applicant has left the page
   * by then, the client does not send the write, even if this returns true.
   */
  isWanted?: (() => boolean) | undefined
  /** The page may close during the call: the browser sends it all the same. */
  outlivesPage?: boolean | undefined
  /** The file of an earlier answer: the server sends the file again only when it has changed. */
  cachedFile?: Blob | undefined
  /** The token of the session that this log-out ends: the session drops it before the request is sent. */
  token?: string | undefined
  /** Leaves out the header with which a shared device makes the server ask the browser to delete its data (D31). */
  keepsSiteData?: boolean | undefined
}

/** The response body of a call as the contract defines it, or a blob for the calls that answer with a file. */
export type Value<Name extends EndpointName> = (typeof endpoints)[Name]['answer'] extends 'file'
  ? Blob
  : AnswerOutput<Name>

export type Call = <Name extends EndpointName>(
  name: Name,
  input?: Partial<CallInput<Name>>,
  options?: CallOptions,
) => Promise<Result<Value<Name>>>

export type ApiParts = {
  device: Device
  /** Origin of the API; '' is the origin of this page (D5). */
  origin: string
  token(): string | undefined
  /**
   * Refreshes the token after a 401. Resolves to false when the session has ended (S83), a log-out is pending or the
   * new token is unreadable, and to the problem of the refresh when the session stays without a new token (S82).
   */
  refreshSession(): Promise<boolean | Problem>
  /** Returns a check that is true once the session has ended after this call. */
  watchSessionEnd(): () => boolean
  /** Returns a check that is true once the applicant has left the page after this call. */
  watchLeaving?: (() => () => boolean) | undefined
  /** Whether other people use this device: the calls with `saysShared` then send a header (D31). */
  isShared?: (() => boolean) | undefined
  /** Receives the problem of each failed call, unless its caller aborted it or it was abandoned (`CallEnd`). */
  onProblem(problem: Problem, call: FailedCall): void
  answerMarks: AnswerMarks
  /** An answer of another call has shown that the server marks: an earlier `/version` without a mark may be foreign. */
  onMarkLearned?: (() => void) | undefined
  /**
   * The client calls this after each attempt that its caller has not aborted. The requests that `sendRequest` repeats
   * are one attempt. `reach`: whether `/api/v1` answered with content that only the service sends (D34).
   * `retryAfterSeconds`: when the client sends the call again to a busy service; undefined when it does not send it
   * again.
   */
  onReached(reach: Reach, retryAfterSeconds?: number): void
}

/** See `CallOptions`. */
type FailedCall = Pick<CallOptions, 'background' | 'automatic'> & { name: EndpointName }

const timeoutMs = 30_000

/** How often a call is sent to a busy service while the applicant waits: a few minutes, by the service's `Retry-After`. */
const maxBusyTries = 20

/** How often a request is sent while its answers may be of an older release. */
const maxReleaseTries = 3

/** Loads the schemas and the decoder: a file of its own, because the first page hydrates without them. */
export const loadResponseReader = loadOnce(() => import('./response-reader.ts'))

/**
 * Creates the portal's only way to call the server. A call resolves to a value or a problem.
 * @throws only for a fault in the code: an error outside `fetch`, the read of the body or the load of a file
 */
export function createCall(parts: ApiParts): Call {
  return async (name, input = {}, options = {}) => {
    const { result, isAbandoned } = await callWithRefresh(parts, { name, input, options })
    if (!result.ok && !isAbandoned && !options.signal?.aborted)
      parts.onProblem(result.problem, { ...options, name })
    return result as Result<Value<typeof name>> // decoded with the schema of this endpoint
  }
}

type Request = {
  name: EndpointName
  input: { params?: unknown; query?: unknown; body?: unknown }
  options: CallOptions
}

/**
 * `isAbandoned`: no screen waits for the result, because the session has ended, the applicant no longer wants the call,
 * or its caller has aborted it.
 */
type CallEnd = { result: Result<unknown>; isAbandoned?: boolean }

/**
 * Sends the call, and once more with a new token after a 401. When the session stays without a new token, the call
 * fails with the problem of the refresh; in the other cases without a new token, with a 401. A write that is not in the
 * background is not sent, or not sent again, when the applicant no longer wants it: otherwise a payment could be
 * ordered after they have left the page (D137).
 */
async function callWithRefresh(parts: ApiParts, request: Request): Promise<CallEnd> {
  const hasEnded = parts.watchSessionEnd()
  const hasLeft = parts.watchLeaving?.()
  const opened = await overNetwork(parts, request.options, () => openEndpoint(request.name))
  if (!opened.ok) return { result: opened }
  const { access, method } = opened.value.endpoint
  const { background, isWanted } = request.options
  const mayBeUnwanted = method !== 'GET' && !background
  const isUnwanted = () => mayBeUnwanted && (hasLeft?.() || isWanted?.() === false)
  // On a slow connection the next applicant may sign in during the load of the endpoints, or the applicant may leave the page.
  if ((access === 'applicant' && hasEnded()) || isUnwanted())
    return { result: failed(noSession), isAbandoned: true }
  const isOver = () => hasEnded() || isUnwanted()
  for (let isRepeat = false; ; isRepeat = true) {
    const called = await callWithBusyRetry(parts, opened.value, request, isOver)
    if (access !== 'applicant') return called
    if (hasEnded()) return abandoned(called, request)
    if (isRepeat || !isUnauthorised(called.result)) return called
    const refreshed = await parts.refreshSession()
    if (refreshed !== true) return refreshed ? { result: failed(refreshed) } : called
    if (isOver()) return { ...called, isAbandoned: true }
  }
}

/**
 * The session has ended during the call, and another applicant may have signed in on this page: they must neither see the
 * answer or the failure, nor send the call again. A call that outlives its page also outlives its session.
 */
function abandoned({ result }: CallEnd, { options }: Request): CallEnd {
  return { result: options.outlivesPage ? result : failed(noSession), isAbandoned: true }
}

const noSession: Problem = {
  kind: 'refused',
  status: 401,
  statusCode: 401,
  message: undefined,
  errors: [],
  data: undefined,
}

/**
 * Retries the call while the service is too busy to begin it and the applicant waits (D92). The screens keep what was
 * typed, and the banner says when the next try is. `isOver`: the session has ended, or the applicant no longer wants the call.
 */
async function callWithBusyRetry(
  parts: ApiParts,
  opened: OpenedEndpoint,
  request: Request,
  isOver: () => boolean,
): Promise<CallEnd> {
  const { background, signal } = request.options
  for (let tries = 1; ; tries += 1) {
    const isLast = background === true || tries === maxBusyTries
    const result = await callOnce(parts, opened, { ...request, isLast })
    const seconds = secondsToRetry(result)
    if (seconds === undefined || isLast) return { result }
    await new Promise<void>(resolve => {
      parts.device.after(seconds * 1_000, resolve)
      signal?.addEventListener('abort', () => resolve())
    })
    if (signal?.aborted || isOver()) return { result, isAbandoned: true }
  }
}

/** Undefined when the call is not sent again: the service is not busy, or does not say when. */
function secondsToRetry(result: Result<unknown>): number | undefined {
  return !result.ok && result.problem.kind === 'broken' && result.problem.reason === busyReason
    ? result.problem.retryAfterSeconds
    : undefined
}

type OpenedEndpoint = Awaited<ReturnType<typeof openEndpoint>>

async function callOnce(
  parts: ApiParts,
  { endpoint, reader }: OpenedEndpoint,
  { name, input, options, isLast }: Request & { isLast: boolean },
): Promise<Result<unknown>> {
  if (!parts.device.seemsOnline() && endpoint.method !== 'GET') return failed({ kind: 'offline' })
  const received = await sendRequest(parts, { endpoint, reader }, { name, input, options })
  if (!received.ok) return received
  if (name !== 'version' && reader.isMarkedNow(endpoint, received.value))
    if (parts.answerMarks.learn(received.value.isBound)) parts.onMarkLearned?.()
  const result = reader.decodeResponse(endpoint, received.value, {
    isMarking: parts.answerMarks.isMarking(),
    cachedFile: options.cachedFile,
  })
  if (name === 'version' && result.ok) readMarking(parts, result.value, received.value)
  // An error response of the service also proves that the service can be reached.
  const retryAfterSeconds = isLast ? undefined : secondsToRetry(result)
  parts.onReached(reader.reachOfResponse(result, received.value), retryAfterSeconds)
  return result
}

/**
 * Sends the request, and again when an answer may be of an older release: while an upgrade replaces the servers, the next
 * answer may be of the new one (D60).
 */
async function sendRequest(
  parts: ApiParts,
  { endpoint, reader }: OpenedEndpoint,
  { input, options }: Request,
): Promise<Result<Received>> {
  const url = urlOf(parts.origin, endpoint, input)
  const etag = options.cachedFile && (await reader.etagOf(options.cachedFile))
  const mayRepeat = endpoint.method === 'GET' || options.key !== undefined
  for (let tries = 1; ; tries += 1) {
    const nonce = parts.origin === '' ? reader.createNonceFor(endpoint) : undefined
    const init = requestInit(parts, endpoint, { input, options, etag, nonce })
    const received = await overNetwork(parts, options, async () =>
      reader.receive(endpoint, await fetch(url, init), { nonce, isBinding: parts.answerMarks.isBinding() }),
    )
    if (!received.ok || !received.value.mayBeOfOlderRelease || !mayRepeat || tries === maxReleaseTries)
      return received
  }
}

async function openEndpoint(name: EndpointName) {
  const reader = await loadResponseReader()
  const endpoint: Endpoint = await reader.endpointOf(name)
  return { reader, endpoint }
}

/**
 * Runs a step that needs the network and nothing else. `fetch`, `import` and the read of a body reject with a
 * TypeError when the connection breaks and with a DOMException after a timeout. Outside these steps a TypeError is a
 * fault in the code and must not look like a broken connection.
 */
async function overNetwork<Output>(
  parts: ApiParts,
  { signal }: CallOptions,
  step: () => Promise<Output>,
): Promise<Result<Output>> {
  try {
    return { ok: true, value: await step() }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error
    // A call that its caller aborted proves nothing about the connection.
    if (!signal?.aborted) parts.onReached('no-answer')
    return failed(
      parts.device.seemsOnline() ? { kind: 'unreachable', cause: 'no-answer' } : { kind: 'offline' },
    )
  }
}

function readMarking(
  { answerMarks }: ApiParts,
  version: unknown,
  { isBound }: Pick<Received, 'isBound'>,
): void {
  const { data } = version as AnswerOutput<'version'> // decoded with the schema of this endpoint
  answerMarks.update(data, isBound)
}

/** What the answer is compared with. */
type Validators = { etag: string | undefined; nonce: string | undefined }

function requestInit(
  parts: ApiParts,
  endpoint: Endpoint,
  { input, options, ...validators }: Omit<Request, 'name'> & Validators,
): RequestInit {
  // Some back ends send no file to a request that accepts only JSON. The body of a failure is JSON.
  const accept = endpoint.answer === 'file' ? 'application/pdf, application/json' : 'application/json'
  const headers = new Headers({ accept })
  // A log-out sends the token too: the browser may have lost the cookie. Another origin need not allow the header (D67).
  const ended = parts.origin === '' ? options.token : undefined
  const token = endpoint.access === 'applicant' ? parts.token() : ended
  if (token) headers.set('authorization', `Bearer ${token}`)
  if (endpoint.method === 'POST') headers.set('content-type', 'application/json')
  addOwnHeaders(headers, parts, { endpoint, options, ...validators })
  const signal = createTimeoutSignal(options.signal)
  return {
    method: endpoint.method,
    headers,
    credentials: parts.origin === '' ? 'same-origin' : 'include',
    // No redirect is followed: the service never redirects a call, and the policy of the page would block the redirect
    // of a captive portal, which would look like a lost connection.
    redirect: 'manual',
    keepalive: options.outlivesPage === true,
    ...(endpoint.method === 'POST' ? { body: JSON.stringify(input.body ?? {}) } : {}),
    ...(signal ? { signal } : {}),
  }
}

/**
 * Adds the headers that are not in the specification. A back end on another origin does not know them, and its CORS
 * answer would forbid the whole call (D67).
 */
function addOwnHeaders(
  headers: Headers,
  { origin, isShared }: ApiParts,
  { endpoint, options, etag, nonce }: { endpoint: Endpoint; options: CallOptions } & Validators,
): void {
  if (origin !== '') return
  if (nonce) headers.set(answerNonceHeader, nonce)
  if (etag) headers.set('if-none-match', etag)
  if (options.key) headers.set(idempotencyHeader, options.key)
  if (endpoint.saysShared && isShared?.() && options.keepsSiteData !== true)
    headers.set(sharedDeviceHeader, '1')
}

/**
 * Joins the caller's signal and the timeout. In a browser without `AbortSignal.timeout` no call has the timeout;
 * without `AbortSignal.any`, only a call without a signal has it.
 */
function createTimeoutSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  const timeout = AbortSignal.timeout ? AbortSignal.timeout(timeoutMs) : undefined
  if (!signal || !timeout) return signal ?? timeout
  return AbortSignal.any ? AbortSignal.any([signal, timeout]) : signal
}

function urlOf(origin: string, endpoint: Endpoint, input: Request['input']): string {
  const params = new URLSearchParams(Object.entries(input.params ?? {}))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params.get(name) ?? ''),
  )
  const query = new URLSearchParams(
    Object.entries(input.query ?? {})
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]),
  ).toString()
  return `${origin}${apiRoot}${path}${query ? `?${query}` : ''}`
}

function isUnauthorised(result: Result<unknown>): boolean {
  return !result.ok && result.problem.kind === 'refused' && result.problem.status === 401
}
