import type { Result } from './result.ts'

export type RequestState<Value> = {
  /** What the server said last; undefined until then. */
  value: Value | undefined
  state: 'asking' | 'failed' | 'told'
}

/** One answer of the server, for all who ask; the pages that come before the queries (queries.ts) do with it. */
export type CachedRequest<Value> = {
  current: () => RequestState<Value>
  /** Whoever listens wants it: it is asked for, unless it is fresh. */
  subscribe: (listener: () => void) => () => void
  /** As fresh as it has to be; undefined where the server never said it. */
  readFresh: () => Promise<Value | undefined>
  /** Whatever was said last, however old; asked for only where nothing was. */
  readAny: () => Promise<Value | undefined>
  /** However fresh the last one is. */
  reload: () => Promise<Value | undefined>
}

type Parts<Value> = {
  request: () => Promise<Result<{ data: Value }>>
  now: () => number
  /** How long an answer serves, milliseconds. */
  freshForMs: number
}

export function createCachedRequest<Value>({ request, now, freshForMs }: Parts<Value>): CachedRequest<Value> {
  const listeners = new Set<() => void>()
  let state: RequestState<Value> = { value: undefined, state: 'asking' }
  let freshUntil = -Infinity
  let running: Promise<Value | undefined> | undefined

  function setState(next: RequestState<Value>) {
    if (next.state === state.state && next.value === state.value) return
    state = next
    for (const listener of listeners) listener()
  }

  async function sendRequest(): Promise<Value | undefined> {
    setState({ ...state, state: 'asking' })
    const result = await request()
    if (result.ok) freshUntil = now() + freshForMs
    setState(result.ok ? { value: result.value.data, state: 'told' } : { ...state, state: 'failed' })
    return state.value
  }

  const cachedRequest: CachedRequest<Value> = {
    current: () => state,
    subscribe(listener) {
      listeners.add(listener)
      void cachedRequest.readFresh()
      return () => listeners.delete(listener)
    },
    readFresh: async () => (now() < freshUntil ? state.value : cachedRequest.reload()),
    readAny: async () => state.value ?? cachedRequest.readFresh(),
    reload: () =>
      (running ??= sendRequest().finally(() => {
        running = undefined
      })),
  }
  return cachedRequest
}
