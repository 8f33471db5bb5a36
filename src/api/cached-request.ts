import { createObservable } from '#device/observable.ts'
import type { Result } from './result.ts'

export type RequestState<Value> = {
  /** The last answer of the server; undefined before the first one, and after `replace` until the next one. */
  value: Value | undefined
  state: 'pending' | 'failed' | 'answered'
}

/** One answer of the server, cached in memory for all callers. For answers that pages without `queries.ts` need too. */
export type CachedRequest<Value> = {
  current: () => RequestState<Value>
  /** Subscribing sends a request unless the cached answer is still fresh. */
  subscribe: (listener: () => void) => () => void
  /** Resolves to an answer that is fresh, or to the last one when the request fails; undefined without any. */
  readFresh: () => Promise<Value | undefined>
  /** Resolves to the last answer, however old. Sends a request only when there is none, or after `expire`. */
  readAny: () => Promise<Value | undefined>
  /** Sends a request also when the cached answer is fresh. Callers share a running request. */
  reload: () => Promise<Value | undefined>
  /**
   * The cached answer may no longer be true: the next read sends a request. It resolves to the cached answer only when this
   * request fails. A request that is running is sent again when it succeeds.
   */
  expire: () => void
  /**
   * Drops the cached answer and sends the request again; when a request is running already, its answer counts. Without a
   * cached answer does nothing.
   */
  replace: () => void
}

type Parts<Value> = {
  request: () => Promise<Result<{ data: Value }>>
  /** Milliseconds of a clock that never goes back. */
  now: () => number
  freshForMs: number
}

export function createCachedRequest<Value>({ request, now, freshForMs }: Parts<Value>): CachedRequest<Value> {
  const source = createObservable<RequestState<Value>>({ value: undefined, state: 'pending' })
  let freshUntilMs = -Infinity
  let expiryCount = 0
  /** The value of `expiryCount` at the last answer. The answer has expired when `expiryCount` has increased since. */
  let expiryCountOfAnswer = 0
  let running: Promise<Value | undefined> | undefined

  function setState(next: RequestState<Value>) {
    const { value, state } = source.state()
    if (next.state !== state || next.value !== value) source.setState(next)
  }

  async function sendRequest(): Promise<Value | undefined> {
    const expiryCountBefore = expiryCount
    setState({ ...source.state(), state: 'pending' })
    const result = await request()
    setState(
      result.ok ? { value: result.value.data, state: 'answered' } : { ...source.state(), state: 'failed' },
    )
    if (result.ok) {
      // The answer may be from before an `expire()` that came during the request.
      if (expiryCount > expiryCountBefore) return sendRequest()
      freshUntilMs = now() + freshForMs
      expiryCountOfAnswer = expiryCount
    }
    return source.state().value
  }

  const cachedRequest: CachedRequest<Value> = {
    current: source.state,
    subscribe(listener) {
      const unsubscribe = source.subscribe(listener)
      void cachedRequest.readFresh()
      return unsubscribe
    },
    readFresh: async () => (now() < freshUntilMs ? source.state().value : cachedRequest.reload()),
    readAny: async () =>
      (expiryCount > expiryCountOfAnswer ? undefined : source.state().value) ?? cachedRequest.readFresh(),
    reload: () =>
      (running ??= sendRequest().finally(() => {
        running = undefined
      })),
    expire() {
      freshUntilMs = -Infinity
      expiryCount += 1
    },
    replace() {
      if (source.state().value === undefined) return
      freshUntilMs = -Infinity
      setState({ value: undefined, state: 'pending' })
      void cachedRequest.reload()
    },
  }
  return cachedRequest
}
