import { createListeners } from '#device/observable.ts'

/** `undoable`: the applicant has pressed Delete and can still undo it; nothing is deleted yet. */
type DeletionState = 'none' | 'undoable' | 'deleting' | 'deleted'

/** What stops the ten seconds: nobody must hurry who is about to press Undo (LST12). */
type Hold = 'focus' | 'pointer'

export type Deletion = {
  state: () => DeletionState
  subscribe: (listener: () => void) => () => void
  start: () => void
  undo: () => void
  /** Stops the time while the focus or the pointer is on Undo. */
  hold: (hold: Hold) => void
  /** The time begins again from its full length when nothing holds it any more. */
  release: (hold: Hold) => void
  /** Deletes now, when the applicant leaves the page: otherwise does nothing. Resolves when the deletion has ended. */
  finish: () => Promise<void>
}

type Parts = {
  after: (delayMs: number, run: () => void) => () => void
  /** Deletes the application. Resolves to false when it is still there. */
  deleteNow: () => Promise<boolean>
}

/** Time in which a deletion can be undone, in milliseconds (LST11). */
const undoMs = 10_000

/** Deletes an application only when the time for an undo is over, so that the server needs no undo (LST11). */
export function createDeletion({ after, deleteNow }: Parts): Deletion {
  const { subscribe, emit } = createListeners()
  const holds = new Set<Hold>()
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
    if (state === 'undoable' && holds.size === 0) cancelTimer = after(undoMs, () => void finish())
  }

  return {
    state: () => state,
    subscribe,
    start() {
      // A deleted application is shown again when the list comes from the cache.
      if (state === 'undoable' || state === 'deleting') return
      holds.clear()
      setState('undoable')
      restartTimer()
    },
    undo() {
      if (state !== 'undoable') return
      cancelTimer()
      setState('none')
    },
    hold(hold) {
      holds.add(hold)
      restartTimer()
    },
    release(hold) {
      if (holds.delete(hold)) restartTimer()
    },
    finish,
  }
}

function doNothing(): void {}
