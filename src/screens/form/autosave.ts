import type { SaveFailureReason } from '#store/storage-fault.ts'

export type FormSaveResult =
  | { kind: 'kept' }
  | { kind: 'not-kept'; reason: SaveFailureReason }
  /** Another tab has the form: what stands here alone is written when it is taken back (D32). */
  | { kind: 'elsewhere' }

/** What the line under the tabs says (D30): nothing but what is true of the last keystroke. */
export type SaveState = { kind: 'untouched' } | { kind: 'keeping' } | FormSaveResult

export type Autosave = {
  state: () => SaveState
  subscribe: (listener: () => void) => () => void
  /** Something was typed: it is written soon. */
  changed: () => void
  /** Writes at once what is not written yet; settles when nothing is left to write. */
  flush: () => Promise<void>
}

type Parts = {
  /** Whether the form was already kept when it was opened. */
  isSaved: boolean
  after: (milliseconds: number, run: () => void) => () => void
  /** Keeps the form as it is at this moment. */
  save: () => Promise<FormSaveResult>
}

/** With a write of some 100 ms on a slow phone, the last key is kept within 300 ms (D30). */
const debounceMs = 150

/** Writes after each pause in typing; one write at a time, and never a stale one last. */
export function createAutosave({ isSaved, after, save }: Parts): Autosave {
  const listeners = new Set<() => void>()
  let state: SaveState = { kind: isSaved ? 'kept' : 'untouched' }
  let hasUnsavedChange = false
  let saving: Promise<void> | undefined
  let cancelDebounce: (() => void) | undefined

  function setState(next: SaveState) {
    if (next.kind === state.kind && reasonOf(next) === reasonOf(state)) return
    state = next
    for (const listener of listeners) listener()
  }

  async function saveAll() {
    while (hasUnsavedChange) {
      hasUnsavedChange = false
      const result = await save()
      if (!hasUnsavedChange) setState(result)
    }
    saving = undefined
  }

  function flush(): Promise<void> {
    cancelDebounce?.()
    if (hasUnsavedChange) saving ??= saveAll()
    return saving ?? Promise.resolve()
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    changed() {
      hasUnsavedChange = true
      setState({ kind: 'keeping' })
      cancelDebounce?.()
      cancelDebounce = after(debounceMs, () => void flush())
    },
    flush,
  }
}

function reasonOf(state: SaveState) {
  return state.kind === 'not-kept' ? state.reason : undefined
}
