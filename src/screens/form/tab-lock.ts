import { createListeners } from '#device/observable.ts'
import type { Services } from '#app/services.ts'
import { doNothing } from '#device/do-nothing.ts'

export type TabLock = {
  /**
   * `this-tab`: also before the first lock is granted. `deleted`: the applicant has deleted the application in another tab, so
   * no tab gets its form again (LST13).
   */
  state: () => 'this-tab' | 'other-tab' | 'deleted'
  subscribe: (listener: () => void) => () => void
  /** The applicant takes the form back from another browser tab. */
  acquire: () => void
  /** A save of this tab has found that the application is deleted. */
  formDeleted: () => void
  /** Acquires the lock, and gives it to another tab that asks for it. Returns the function that ends both. */
  start: (handlers: TabLockHandlers) => () => void
}

type TabLockHandlers = {
  /** Saves the pending changes before another tab gets the form. */
  flush: () => Promise<void>
  /** Runs when this tab has the form back from another tab, to merge the changes of that tab; not for the first lock. */
  onTakenBack: () => void
}

/** Time for the other tab to save and to release the lock before this tab takes the lock by force, in milliseconds. */
const acquireTimeoutMs = 1_000

/**
 * Lets only one browser tab of a device edit a form. The tab that was opened last gets the form; the other tab shows it
 * read-only and can take it back (D32). `currentId`: a form that was started under a local id gets the server's id while it
 * is open, and another tab opens it under that id. The lock of this tab still has the local id, so the other tab does not wait
 * for the last save of this tab; it copies the save into its form like any other change of the draft.
 */
export function createTabLock(device: Services['device'], currentId: () => string): TabLock {
  const { subscribe, emit } = createListeners()
  let state: ReturnType<TabLock['state']> = 'this-tab'
  let releaseLock: () => void = doNothing
  let takenBackListener: () => void = doNothing
  let isFormOpen = false
  let takeBackCount = 0
  let isAsking = false // a second request would wait for the first one of this tab, and then steal its lock

  function setState(next: typeof state) {
    if (state === 'deleted') return
    state = next
    emit()
  }

  async function acquire() {
    isAsking = true
    const release = await acquireFormLock(device, currentId(), () => setState('other-tab'))
    isAsking = false
    // The form was closed while another tab still held the lock.
    if (!isFormOpen) return release()
    releaseLock = release
    if (state !== 'other-tab') return
    takeBackCount += 1
    setState('this-tab')
    takenBackListener()
  }

  async function releaseToOtherTab(flush: () => Promise<void>) {
    if (state !== 'this-tab') return
    const countBefore = takeBackCount
    await flush()
    // During a slow flush the other tab may have taken the form by force, and the applicant may have taken it back in this tab.
    if (countBefore !== takeBackCount) return
    setState('other-tab')
    releaseLock()
  }

  return {
    state: () => state,
    subscribe,
    acquire: () => void (isAsking || acquire()),
    formDeleted: () => setState('deleted'),
    start({ flush, onTakenBack }) {
      takenBackListener = onTakenBack
      isFormOpen = true
      void acquire()
      const stop = device.onBroadcast(message => {
        if (!('form' in message) || message.form !== currentId()) return
        if (message.kind === 'deleted') setState('deleted')
        else void releaseToOtherTab(flush)
      })
      return () => {
        isFormOpen = false
        stop()
        releaseLock()
      }
    },
  }
}

/**
 * Acquires the lock of the form with this id, by force if another tab does not release it in time. Resolves to the function
 * that releases the lock.
 */
function acquireFormLock(device: Services['device'], id: string, onLost: () => void): Promise<() => void> {
  device.broadcast({ kind: 'take-over', form: id })
  return device.acquireLock(`form ${id}`, { timeoutMs: acquireTimeoutMs, onLost })
}
