import type { WhyNotKept } from '#store/storage-fault.ts'

export type Kept =
  | { kind: 'kept' }
  | { kind: 'not-kept'; why: WhyNotKept }
  /** Another tab has the form: what stands here alone is written when it is taken back (D32). */
  | { kind: 'elsewhere' }

/** What the line under the tabs says (D30): nothing but what is true of the last keystroke. */
export type Keeping = { kind: 'untouched' } | { kind: 'keeping' } | Kept

export type Autosave = {
  state: () => Keeping
  subscribe: (listener: () => void) => () => void
  /** Something was typed: it is written soon. */
  changed: () => void
  /** Writes at once what is not written yet; settles when nothing is left to write. */
  flush: () => Promise<void>
}

type Parts = {
  /** Whether the form was already kept when it was opened. */
  kept: boolean
  after: (milliseconds: number, run: () => void) => () => void
  /** Keeps the form as it is at this moment. */
  write: () => Promise<Kept>
}

/** With a write of some 100 ms on a slow phone, the last key is kept within 300 ms (D30). */
const patience = 150

/** Writes after each pause in typing; one write at a time, and never a stale one last. */
export function createAutosave({ kept, after, write }: Parts): Autosave {
  const listeners = new Set<() => void>()
  let state: Keeping = { kind: kept ? 'kept' : 'untouched' }
  let waiting = false
  let writing: Promise<void> | undefined
  let cancel: (() => void) | undefined

  function change(next: Keeping) {
    if (next.kind === state.kind && whyOf(next) === whyOf(state)) return
    state = next
    for (const listener of listeners) listener()
  }

  async function writeAll() {
    while (waiting) {
      waiting = false
      const result = await write()
      if (!waiting) change(result)
    }
    writing = undefined
  }

  function flush(): Promise<void> {
    cancel?.()
    if (waiting) writing ??= writeAll()
    return writing ?? Promise.resolve()
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    changed() {
      waiting = true
      change({ kind: 'keeping' })
      cancel?.()
      cancel = after(patience, () => void flush())
    },
    flush,
  }
}

function whyOf(keeping: Keeping) {
  return keeping.kind === 'not-kept' ? keeping.why : undefined
}
