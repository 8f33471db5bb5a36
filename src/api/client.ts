import type { AnswerOutput, CallInput, EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/open-endpoints.ts'
import { apiRoot, idempotencyHeader, sharedDeviceHeader } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import { loadOnce } from '#device/load-with-retry.ts'
import { failed, type Problem, type Result } from './result.ts'

export type CallOptions = {
  /** The applicant's intent (D13): made once, kept until answered. */
  key?: string | undefined
  /** Nobody waits for it: its failure is not announced (S29). */
  background?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Nothing of the applicant is left on this device: the browser need not be asked to forget (D31). */
  isDeviceCleared?: boolean | undefined
}

/** An answer as the wire has it, or bytes for the two receipt calls. */
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
  /** '' is this page's own origin (D5). */
  origin: string
  token(): string | undefined
  /** Renews the token after a 401; false when the session is over (S83). */
  refreshSession(): Promise<boolean>
  /** Whether others use this device too: the calls that open, renew and end a session say so (D31). */
  isShared?: (() => boolean) | undefined
  /** Told of every failure that the applicant's own action met. */
  onProblem(problem: Problem): void
  /** Whether `/api/v1` last answered with content that only it gives (D34). */
  onReached(reached: boolean): void
}

const timeoutMs = 30_000

/** The schemas by which all is read: a file of its own, so that a page comes alive without them. */
export const loadResponseReader = loadOnce(() => import('./response-reader.ts'))

/** The portal's only way to the server. A call never throws: it gives a value or a problem. */
export function createCall(parts: ApiParts): Call {
  return async (name, input = {}, options = {}) => {
    let result = await callOnce(parts, name, { input, options })
    if (isUnauthorised(result) && (await needsApplicant(name)) && (await parts.refreshSession()))
      result = await callOnce(parts, name, { input, options })
    if (!result.ok && options.background !== true && !options.signal?.aborted) parts.onProblem(result.problem)
    return result as Result<Value<typeof name>> // the schema that read it belongs to this very name
  }
}

type Request = { input: { params?: unknown; query?: unknown; body?: unknown }; options: CallOptions }

async function callOnce(parts: ApiParts, name: EndpointName, request: Request): Promise<Result<unknown>> {
  try {
    const { endpointOf, readResponse } = await loadResponseReader()
    const endpoint: Endpoint = await endpointOf(name)
    if (!parts.device.seemsOnline() && endpoint.method !== 'GET') return failed({ kind: 'offline' })
    const response = await send(parts, { endpoint, name }, request)
    const result = await readResponse(endpoint, response)
    // A broken service was reached all the same: what is down is not the line.
    parts.onReached(result.ok || result.problem.kind !== 'unreachable')
    return result
  } catch (error) {
    if (!isNetworkFailure(error)) throw error
    // A call that its caller gave up tells nothing of the line.
    if (!request.options.signal?.aborted) parts.onReached(false)
    return failed(parts.device.seemsOnline() ? { kind: 'unreachable' } : { kind: 'offline' })
  }
}

function send(
  parts: ApiParts,
  { endpoint, name }: { endpoint: Endpoint; name: EndpointName },
  { input, options }: Request,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  const token = endpoint.access === 'applicant' ? parts.token() : undefined
  if (token) headers.set('authorization', `Bearer ${token}`)
  if (endpoint.method === 'POST') headers.set('content-type', 'application/json')
  if (options.key) headers.set(idempotencyHeader, options.key)
  if (
    options.isDeviceCleared !== true &&
    parts.isShared?.() &&
    (endpoint.access === 'cookie' || name === 'login')
  )
    headers.set(sharedDeviceHeader, '1')
  const signal = createTimeoutSignal(options.signal)
  return fetch(urlOf(parts.origin, endpoint, input), {
    method: endpoint.method,
    headers,
    credentials: parts.origin === '' ? 'same-origin' : 'include',
    ...(endpoint.method === 'POST' ? { body: JSON.stringify(input.body ?? {}) } : {}),
    ...(signal ? { signal } : {}),
  })
}

/** Older browsers know no time-out, or cannot join two signals: there the caller's own counts. */
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

async function needsApplicant(name: EndpointName): Promise<boolean> {
  return (await (await loadResponseReader()).endpointOf(name)).access === 'applicant'
}

function isUnauthorised(result: Result<unknown>): boolean {
  return !result.ok && result.problem.kind === 'refused' && result.problem.status === 401
}

/** fetch rejects with a TypeError for the line and a DOMException for a time-out; anything else is a bug. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError || error instanceof DOMException
}
