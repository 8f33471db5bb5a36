import type { Result } from './result.ts'

export type Told<Value> = {
  /** What the server said last; undefined until then. */
  value: Value | undefined
  state: 'asking' | 'failed' | 'told'
}

/** One answer of the server, for all who ask; the pages that come before the queries (queries.ts) do with it. */
export type KeptAnswer<Value> = {
  current: () => Told<Value>
  /** Whoever listens wants it: it is asked for, unless it is fresh. */
  subscribe: (listener: () => void) => () => void
  /** As fresh as it has to be; undefined where the server never said it. */
  ask: () => Promise<Value | undefined>
  /** Whatever was said last, however old; asked for only where nothing was. */
  recall: () => Promise<Value | undefined>
  /** However fresh the last one is. */
  askAnew: () => Promise<Value | undefined>
}

type Parts<Value> = {
  ask: () => Promise<Result<{ data: Value }>>
  now: () => number
  /** How long an answer serves, milliseconds. */
  freshFor: number
}

export function createKeptAnswer<Value>({ ask, now, freshFor }: Parts<Value>): KeptAnswer<Value> {
  const listeners = new Set<() => void>()
  let told: Told<Value> = { value: undefined, state: 'asking' }
  let freshUntil = -Infinity
  let asking: Promise<Value | undefined> | undefined

  function tell(next: Told<Value>) {
    if (next.state === told.state && next.value === told.value) return
    told = next
    for (const listener of listeners) listener()
  }

  async function run(): Promise<Value | undefined> {
    tell({ ...told, state: 'asking' })
    const result = await ask()
    if (result.ok) freshUntil = now() + freshFor
    tell(result.ok ? { value: result.value.data, state: 'told' } : { ...told, state: 'failed' })
    return told.value
  }

  const kept: KeptAnswer<Value> = {
    current: () => told,
    subscribe(listener) {
      listeners.add(listener)
      void kept.ask()
      return () => listeners.delete(listener)
    },
    ask: async () => (now() < freshUntil ? told.value : kept.askAnew()),
    recall: async () => told.value ?? kept.ask(),
    askAnew: () =>
      (asking ??= run().finally(() => {
        asking = undefined
      })),
  }
  return kept
}
