import type { AnswerOutput, CallInput, EndpointName } from '#contract/endpoints.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { type Call, type CallOptions, loadResponseReader, type Value } from './client.ts'
import { ProblemError } from './result.ts'

/**
 * Caches answers, the claims of the access token, and records of this device, encrypted, for a time without a connection
 * (S92). No function rejects but those of `orThrow`.
 */
export type ResponseCache = {
  /**
   * `timeBefore`: the `time` of the answer that was cached when the request was sent whose answer is `value`. When another tab
   * has replaced that answer since by one with a later `time` than `value` has, `value` is not written.
   */
  write: (name: string, value: unknown, timeBefore?: string) => Promise<void>
  /** Resolves to undefined when nothing is cached under this name, or the storage has failed. */
  read: (name: string) => Promise<unknown>
  remove: (name: string) => Promise<void>
  /**
   * The same cache; `write` is for records of this device, which have no `time`. @throws when the storage fails, so that an
   * undefined value means that nothing is cached
   */
  orThrow: Pick<ResponseCache, 'read'> & { write: (name: string, value: unknown) => Promise<void> }
}

export type CachedCallParts = {
  call: Call
  cache: ResponseCache
  /**
   * Whether the page has no access token, as after a start offline: then a cached answer is shown without a call. At
   * the first token `readPersonal` reads it again.
   */
  hasNoToken: () => boolean
  /** The id of the signed-in applicant; undefined without a session. */
  signedInId: () => string | undefined
}

/** The calls whose last answer a screen may show again. */
type CachedEndpoint =
  | 'listApplications'
  | 'readData'
  | 'readAppointment'
  | 'listPayments'
  | 'listPaymentAttempts'

const goneReason: ProblemCode = 'not-found'

type CachedCallOptions<Name extends CachedEndpoint> = CallOptions & {
  /** Removes what is true only at the time of the answer; by default the whole answer is cached. */
  toCacheable?: (answer: AnswerOutput<Name>) => AnswerOutput<Name>
  /**
   * Runs before the new answer replaces the cached one. Resolves to false when the cached one must stay, else to
   * `timeBefore`. Never rejects.
   */
  beforeWrite?: (answer: AnswerOutput<Name>) => Promise<string | false | undefined>
  /** False once a newer answer is needed or may have come: this one must then not replace the cached one. */
  isNewest?: () => boolean
}

/** Calls the server for a query. @throws ProblemError when the call fails */
export async function callOrThrow<Name extends EndpointName>(
  call: Call,
  name: Name,
  input: Partial<CallInput<Name>>,
  options: CallOptions = {},
): Promise<Value<Name>> {
  const result = await call(name, input, options)
  if (!result.ok) throw new ProblemError(result.problem)
  return result.value
}

/**
 * Calls the server and caches the answer. Returns the cached answer when there is no connection or no token. Deletes the
 * cached answer when the server itself says that what was requested no longer exists: a later visit must not show it (D37). A
 * 404 without the server's own reason may come from a proxy.
 * @throws ProblemError when the service refuses the call or fails; without a connection, when nothing is cached
 */
export async function callOrReadCache<Name extends CachedEndpoint>(
  { call, cache, hasNoToken, signedInId }: CachedCallParts,
  name: Name,
  input: Partial<CallInput<Name>>,
  {
    toCacheable = answer => answer,
    beforeWrite,
    isNewest = () => true,
    ...options
  }: CachedCallOptions<Name> = {},
): Promise<AnswerOutput<Name>> {
  const readCached = () => readCachedAnswer(cache, name, input)
  const cachedFirst = hasNoToken() ? await readCached() : undefined
  if (cachedFirst !== undefined) return cachedFirst
  const result = await call(name, input, options)
  if (result.ok) {
    const answer = result.value as AnswerOutput<Name> // the schema of this very endpoint decoded it
    // `beforeWrite` may take long, and another applicant may sign in before it ends (D31).
    const applicantId = signedInId()
    const write = (timeBefore?: string | false) =>
      timeBefore !== false && isNewest() && signedInId() === applicantId
        ? cache.write(cacheKey(name, input), toCacheable(answer), timeBefore)
        : undefined
    void (beforeWrite ? beforeWrite(answer).then(write) : write())
    return answer
  }
  const { problem } = result
  const cached = problem.kind === 'offline' || problem.kind === 'unreachable' ? await readCached() : undefined
  if (cached !== undefined) return cached
  if (problem.kind === 'refused' && problem.reason === goneReason) await cache.remove(cacheKey(name, input))
  throw new ProblemError(problem)
}

/**
 * Returns the last answer of a call that this device has cached, possibly stale; undefined without one. Rejects only with
 * `orThrow` of a cache.
 */
export async function readCachedAnswer<Name extends CachedEndpoint>(
  cache: Pick<ResponseCache, 'read'>,
  name: Name,
  input: Partial<CallInput<Name>>,
): Promise<AnswerOutput<Name> | undefined> {
  // Without the schemas no cached answer can be decoded; a call then reports the failed load.
  const reader = await loadResponseReader().catch(() => undefined)
  const cached = await reader
    ?.readCachedResponse(name, await cache.read(cacheKey(name, input)))
    .catch(() => undefined)
  return cached?.kind === 'value' ? (cached.value as AnswerOutput<Name>) : undefined
}

/** The name under which the answer of a call is cached. */
export function cacheKey<Name extends CachedEndpoint>(name: Name, input: Partial<CallInput<Name>>): string {
  return `${name} ${JSON.stringify(input)}`
}
