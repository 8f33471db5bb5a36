import { createListeners } from '#device/observable.ts'
import type { SaveFailureReason } from '#store/storage-fault.ts'
import type { FormOrigin } from './form-start.ts'

export type FormSaveResult =
  | { kind: 'saved' }
  | { kind: 'not-saved'; reason: SaveFailureReason }
  /**
   * Another browser tab has the form: this tab saves its changes when it has the form again (D32). Also the result of each
   * save after this tab has learnt that the application is deleted.
   */
  | { kind: 'other-tab' }
  /** This save has found that the applicant has deleted the application in another tab (LST13). */
  | { kind: 'deleted' }

/** The state that the save status shows (D30). It always describes the answers with the last change. */
export type SaveState = { kind: 'untouched' } | { kind: 'saving' } | FormSaveResult

export type Autosave = {
  state: () => SaveState
  subscribe: (listener: () => void) => () => void
  /** Records a change, and saves it after the debounce. */
  changed: () => void
  /**
   * Saves the pending changes now. Resolves when the last save has ended, also with another result than `saved`: see
   * `state`. Rejects when `save` rejects.
   */
  flush: () => Promise<void>
}

type Parts = {
  /** The source of the values with which the form starts. */
  origin: FormOrigin
  /** Runs a function after a delay; returns the function that cancels it. */
  after: (delayMs: number, run: () => void) => () => void
  /** Saves the current values of the form. */
  save: () => Promise<FormSaveResult>
}

/** `page`: the device could not save these values before; `watchForm` saves them as soon as the form opens. */
const startStates = { device: 'saved', page: 'saving', server: 'untouched' } as const satisfies Record<
  FormOrigin,
  SaveState['kind']
>

/** A write takes about 100 ms on a slow phone, so the last keystroke is saved within 300 ms (D30). */
const debounceMs = 150

/**
 * Saves after each pause in typing. Only one write runs at a time; changes during a write are saved by the next one,
 * so that an older state never overwrites a newer one.
 */
export function createAutosave({ origin, after, save }: Parts): Autosave {
  const { subscribe, emit } = createListeners()
  let state: SaveState = { kind: startStates[origin] }
  let hasUnsavedChange = false
  let saving: Promise<void> | undefined
  let cancelDebounce: (() => void) | undefined

  function setState(next: SaveState) {
    if (next.kind === state.kind && reasonOf(next) === reasonOf(state)) return
    state = next
    emit()
  }

  async function saveAll() {
    try {
      while (hasUnsavedChange) {
        hasUnsavedChange = false
        const result = await save()
        if (!hasUnsavedChange) setState(result)
      }
    } catch (error) {
      // The next change or `flush` saves these answers again.
      hasUnsavedChange = true
      setState({ kind: 'not-saved', reason: 'lost' })
      throw error
    } finally {
      saving = undefined
    }
  }

  function flush(): Promise<void> {
    cancelDebounce?.()
    if (hasUnsavedChange) saving ??= saveAll()
    return saving ?? Promise.resolve()
  }

  function changed() {
    hasUnsavedChange = true
    setState({ kind: 'saving' })
    cancelDebounce?.()
    cancelDebounce = after(debounceMs, () => void flush())
  }

  return { state: () => state, subscribe, changed, flush }
}

function reasonOf(state: SaveState) {
  return state.kind === 'not-saved' ? state.reason : undefined
}
