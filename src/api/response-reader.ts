import * as z from 'zod/mini'
import { checkAnswerMark, createAnswerNonce, digestOf, etagOfDigest } from '#contract/answer-mark.ts'
import type { EndpointName, endpoints } from '#contract/endpoints.ts'
import { isCodeOfSuccess } from '#contract/routed-codes.ts'
import { type Endpoint, signInEndpoints, publicListPath } from '#contract/sign-in-endpoints.ts'
import { parseJson } from '#contract/parse-json.ts'
import { decodeAnswer, decodeFailure, decodeRefusal } from './decode.ts'
import { type AnswerFacts, causeOf, isForeign, reachOf } from './reach.ts'
import { failed, type Reach, type Result } from './result.ts'

type Endpoints = typeof endpoints

let loadedEndpoints: Endpoints | undefined

/** Returns an endpoint of the contract. Endpoints that are not in `signInEndpoints` are loaded at their first use. */
export async function endpointOf<Name extends EndpointName>(name: Name): Promise<Endpoints[Name]> {
  const known: Partial<Endpoints> = loadedEndpoints ?? signInEndpoints
  return known[name] ?? (await loadAll())[name]
}

/**
 * A response whose body has arrived: parsed JSON, or a blob; undefined when the body is neither. `isBound`: its mark
 * repeats the nonce of the request. `mayBeOfOlderRelease`: the service marked this body, but without the nonce that its
 * marks had before.
 */
export type Received = {
  response: Response
  body: unknown
  facts: AnswerFacts
  isBound: boolean
  mayBeOfOlderRelease: boolean
}

/** `isBinding`: the marks of the server repeat the nonce of each request. */
type Expected = { nonce: string | undefined; isBinding: boolean }

/**
 * Returns a new nonce for each request (D60). Undefined for a public list: the service worker may answer it from its
 * cache, with the mark of an earlier request.
 */
export function createNonceFor({ path }: Endpoint): string | undefined {
  return publicListPath.test(path) ? undefined : createAnswerNonce()
}

/** Reads the body of a response. @throws the browser's error when the connection breaks while the body arrives */
export async function receive(
  endpoint: Endpoint,
  response: Response,
  { nonce, isBinding }: Expected,
): Promise<Received> {
  const isRedirect = response.redirected || response.type === 'opaqueredirect'
  const facts = { status: response.status, isRedirect }
  const unread = { response, body: undefined, isBound: false, mayBeOfOlderRelease: false }
  if (isForeign(facts)) return { ...unread, facts: { ...facts, mark: 'missing' } }
  const bytes = await response.arrayBuffer()
  const isFile = response.ok && endpoint.answer === 'file'
  // A back end that speaks only the specification sends no content where the specification describes none (D67).
  const isEmpty = bytes.byteLength === 0 && (!response.ok || endpoint.mayBeEmpty === true)
  const json = () => (isEmpty ? {} : parseJson(new TextDecoder().decode(bytes)))
  const body = isFile ? wholePdf(bytes) : json()
  const found = await checkAnswerMark(response.headers, bytes, nonce)
  // An older release repeats no nonce. Only its answer to `/version` shows that it has taken the place of the newer one.
  const mayBeUnbound = !isBinding || (response.ok && isOfRelease(endpoint, body))
  const ofUnbound = mayBeUnbound ? 'valid' : 'invalid'
  const mark = found === 'unbound' ? ofUnbound : found
  return {
    response,
    body,
    facts: { ...facts, mark },
    isBound: found === 'valid' && nonce !== undefined,
    mayBeOfOlderRelease: found === 'unbound' && mark === 'invalid',
  }
}

/**
 * Returns the value or the problem of a response. A response that is not the service's is `unreachable` (D34).
 * `isMarking`: the server marks its answers, so one without a mark is not the service's (D60). `cachedFile`: the file whose
 * ETag the call sent; 304 says that it has not changed.
 */
export function decodeResponse(
  endpoint: Endpoint,
  { response, body, facts }: Received,
  { isMarking, cachedFile }: { isMarking: boolean; cachedFile?: Blob | undefined },
): Result<unknown> {
  const { mark } = facts
  const unreachable = failed({ kind: 'unreachable', cause: causeOf(facts) })
  if (isForeign(facts) || mark === 'invalid') return unreachable
  if (mark === 'missing' && isMarking && !(response.ok && mayBeUnmarked(endpoint, body))) return unreachable
  // The ETag is the digest of the file. Only a server that marks its answers compares the two.
  if (response.status === 304 && cachedFile)
    return mark === 'valid' ? { ok: true, value: cachedFile } : unreachable
  if (!response.ok) {
    const problem = decodeFailure(response.status, body)
    return problem === undefined ? unreachable : failed({ ...problem, ...readRetryAfter(response) })
  }
  if (endpoint.answer === 'file') return body === undefined ? unreachable : { ok: true, value: body }
  const answer = decodeAnswer(endpoint.answer, body)
  const refusal = decodeRefusal(response.status, body)
  // `fitsRefusal`: the body of a refusal also fits the schema of the answer, so the code in the body decides.
  const isRefused = endpoint.fitsRefusal && refusal && !isCodeOfSuccess(refusal.statusCode)
  if (answer.kind === 'value' && !isRefused) return { ok: true, value: answer.value }
  return refusal === undefined ? unreachable : failed(refusal)
}

/** Returns the ETag that the server gives to this file. */
export async function etagOf(file: Blob): Promise<string> {
  return etagOfDigest(await digestOf(await file.arrayBuffer()))
}

/**
 * Whether the server that runs now has marked this answer. A list does not count: the service worker may answer it from its
 * cache, with the mark of a release that an older one without marks has replaced since. A failure does not count: a first mark
 * causes a request for `/version` at once, which a busy service must not get.
 */
export function isMarkedNow({ path }: Endpoint, { response, facts }: Received): boolean {
  return facts.mark === 'valid' && response.ok && !publicListPath.test(path)
}

/** Returns no seconds for a date, which `Retry-After` may also be: the service sends seconds. */
function readRetryAfter({ headers }: Response): { retryAfterSeconds?: number } {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds > 0 ? { retryAfterSeconds: seconds } : {}
}

/** Returns what a received and decoded response says about the connection (D34). */
export function reachOfResponse(result: Result<unknown>, { facts }: Received): Reach {
  return reachOf(result, facts)
}

/** Decodes a cached answer with today's schema: another release may have cached it. */
export async function readCachedResponse(name: EndpointName, body: unknown) {
  const { answer } = await endpointOf(name)
  return answer === 'file' ? ({ kind: 'unreadable' } as const) : decodeAnswer(answer, body)
}

/**
 * Whether a success may have no mark: the service worker may answer a list from its cache, and an older release answers
 * `/version` without a mark.
 */
function mayBeUnmarked(endpoint: Endpoint, body: unknown): boolean {
  return isOfRelease(endpoint, body) || publicListPath.test(endpoint.path)
}

/**
 * Whether this is the answer of a release to `/version`. Each release names features there, inside the envelope; the
 * JSON of a Wi-Fi router may have a `version` too, but not these.
 */
function isOfRelease({ path }: Endpoint, body: unknown): boolean {
  return path === signInEndpoints.version.path && z.safeParse(ReleaseInfo, body).success
}

const ReleaseInfo = z.object({ data: z.object({ features: z.array(z.string()).check(z.minLength(1)) }) })

/** All files of the service are PDFs. Undefined for a file that is cut off, and for anything else. */
function wholePdf(bytes: ArrayBuffer): Blob | undefined {
  const text = (start: number, end?: number) => new TextDecoder('latin1').decode(bytes.slice(start, end))
  const isWhole = text(0, 5) === '%PDF-' && text(-1_024).includes('%%EOF')
  return isWhole ? new Blob([bytes], { type: 'application/pdf' }) : undefined
}

async function loadAll(): Promise<Endpoints> {
  loadedEndpoints ??= (await import('#contract/endpoints.ts')).endpoints
  return loadedEndpoints
}
