import type { Unsubscribe } from './device.ts'

/** A set of functions that are called at each change of one source. `subscribe` fits `useSyncExternalStore`. */
export type Listeners = {
  /** Calls `listener` at each `emit` until the returned function is called. */
  subscribe: (listener: () => void) => Unsubscribe
  emit: () => void
}

/** A value with listeners: pass `subscribe` and `state` to `useSyncExternalStore`. */
export type Observable<State> = {
  state: () => State
  /** Replaces the state and calls every listener, also when the new state equals the old one. */
  setState: (next: State) => void
  subscribe: Listeners['subscribe']
}

/**
 * Creates an empty set of listeners. `watch` runs when the first listener subscribes; the function that it returns
 * runs when the last one unsubscribes.
 */
export function createListeners(watch: () => Unsubscribe = watchNothing): Listeners {
  const listeners = new Set<() => void>()
  let stopWatching: Unsubscribe | undefined

  return {
    subscribe(listener) {
      stopWatching ??= watch()
      listeners.add(listener)
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        stopWatching?.()
        stopWatching = undefined
      }
    },
    emit() {
      for (const listener of listeners) listener()
    },
  }
}

export function createObservable<State>(initial: State): Observable<State> {
  const { subscribe, emit } = createListeners()
  let state = initial
  return {
    state: () => state,
    setState(next) {
      state = next
      emit()
    },
    subscribe,
  }
}

function watchNothing(): Unsubscribe {
  return () => undefined
}
