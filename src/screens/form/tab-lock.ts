import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'

export type TabLock = {
  state: () => 'mine' | 'elsewhere'
  subscribe: (listener: () => void) => () => void
  /** Goes on with the form in this tab. */
  acquire: () => void
  /** Follows the other tabs while the form is open. */
  start: (keeping: TabLockHandlers) => () => void
}

type TabLockHandlers = {
  /** Keeps what is typed, before another tab goes on with it. */
  flush: () => Promise<void>
  /** The form is this tab's again: what the other wrote comes in. */
  onAcquired: () => void
}

/** How long another tab may take to keep its last key. */
const acquireTimeoutMs = 1_000

/** One tab of a device fills in a form; the one that was opened last goes on, the other shows it and can take it back. */
export function createTabLock(device: Services['device'], appId: ApplicationId): TabLock {
  const name = `form ${appId}`
  const listeners = new Set<() => void>()
  let state: ReturnType<TabLock['state']> = 'mine'
  let releaseLock: () => void = doNothing
  let acquiredListener: () => void = doNothing
  let isFormOpen = false

  function setState(next: typeof state) {
    state = next
    for (const listener of listeners) listener()
  }

  async function acquire() {
    device.broadcast({ kind: 'take-over', form: appId })
    const release = await device.acquireLock(name, {
      timeoutMs: acquireTimeoutMs,
      onLost: () => setState('elsewhere'),
    })
    // The form was left while another tab still had it.
    if (!isFormOpen) return release()
    releaseLock = release
    if (state === 'mine') return
    setState('mine')
    acquiredListener()
  }

  async function handToOtherTab(flush: () => Promise<void>) {
    if (state === 'elsewhere') return
    await flush()
    setState('elsewhere')
    releaseLock()
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    acquire: () => void acquire(),
    start({ flush, onAcquired }) {
      acquiredListener = onAcquired
      isFormOpen = true
      void acquire()
      const stop = device.onBroadcast(message => {
        if (message.kind === 'take-over' && message.form === appId) void handToOtherTab(flush)
      })
      return () => {
        isFormOpen = false
        stop()
        releaseLock()
      }
    },
  }
}

function doNothing(): void {}
