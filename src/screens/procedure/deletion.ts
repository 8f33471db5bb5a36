import { createListeners } from '#device/observable.ts'
import { doNothing } from '#device/do-nothing.ts'

/** `undoable`: the applicant has pressed Delete and can still undo it; nothing is deleted yet. */
type DeletionState = 'none' | 'undoable' | 'deleting' | 'deleted'

/** Why the ten seconds are paused: the applicant may be about to press Undo (LST12). */
type PauseReason = 'focus' | 'pointer'

export type Deletion = {
  state: () => DeletionState
  subscribe: (listener: () => void) => () => void
  start: () => void
  undo: () => void
  /** Stops the ten seconds while the focus or the pointer is on Undo. */
  pause: (reason: PauseReason) => void
  /** Starts the ten seconds again from the beginning when no reason for a pause is left. */
  resume: (reason: PauseReason) => void
  /** Deletes now if the deletion could still be undone. Resolves when a running deletion has ended. */
  finish: () => Promise<void>
}

type Parts = {
  after: (delayMs: number, run: () => void) => () => void
  onStart: () => void
  onUndo: () => void
  /** Deletes the application. Resolves to false when it may still exist: then the state is `none` again. */
  deleteNow: () => Promise<boolean>
}

/** Time in which a deletion can be undone, in milliseconds (LST11). */
const undoMs = 10_000

/** Deletes an application only at the end of the time for an undo, or at `finish`, so that the server needs no undo (LST11). */
export function createDeletion({ after, onStart, onUndo, deleteNow }: Parts): Deletion {
  const { subscribe, emit } = createListeners()
  const pauseReasons = new Set<PauseReason>()
  let state: DeletionState = 'none'
  let cancelTimer: () => void = doNothing
  let running: Promise<void> = Promise.resolve()

  function setState(next: DeletionState) {
    state = next
    emit()
  }

  async function run() {
    setState('deleting')
    const isDeleted = await deleteNow().catch(() => false)
    setState(isDeleted ? 'deleted' : 'none')
  }

  function finish(): Promise<void> {
    cancelTimer()
    if (state === 'undoable') running = run()
    return running
  }

  function restartTimer() {
    cancelTimer()
    if (state === 'undoable' && pauseReasons.size === 0) cancelTimer = after(undoMs, () => void finish())
  }

  return {
    state: () => state,
    subscribe,
    start() {
      // Starts also after `deleted`: a list from the cache may show the application again.
      if (state === 'undoable' || state === 'deleting') return
      pauseReasons.clear()
      onStart()
      setState('undoable')
      restartTimer()
    },
    undo() {
      if (state !== 'undoable') return
      cancelTimer()
      onUndo()
      setState('none')
    },
    pause(reason) {
      pauseReasons.add(reason)
      restartTimer()
    },
    resume(reason) {
      if (pauseReasons.delete(reason)) restartTimer()
    },
    finish,
  }
}
