import type { Device } from '#device/device.ts'
import type { Phone } from './phone.ts'
import type { VirtualClock } from './virtual-clock.ts'

export type TabDevice = Pick<
  Device,
  | 'now'
  | 'monotonic'
  | 'after'
  | 'randomId'
  | 'readText'
  | 'saveText'
  | 'withLock'
  | 'acquireLock'
  | 'onPageVisible'
  | 'broadcast'
  | 'onBroadcast'
>

/** The browser functions of one tab. `tab` identifies the tab; `isAlive`: a dead tab runs nothing. */
export function createTabDevice(
  phone: Phone,
  clock: VirtualClock,
  { tab, isAlive }: { tab: object; isAlive: () => boolean },
): TabDevice & { show: () => void } {
  const visibleListeners = new Set<() => void>()
  const after: Device['after'] = (milliseconds, run) => clock.after(milliseconds, () => isAlive() && run())
  return {
    now: () => clock.now() + phone.clockErrorMs,
    monotonic: () => clock.elapsed(),
    after,
    randomId: phone.nextId,
    // The marks of rows that are still to be erased: no account is deleted in this simulation.
    readText: () => undefined,
    saveText: () => undefined,
    withLock: (name, run) =>
      new Promise((resolve, reject) => {
        const waiting = phone.locks.request(`work ${name}`, tab, () => {
          // The request returns before a lock is granted.
          void Promise.resolve()
            .then(run)
            .then(resolve, reject)
            .then(() => phone.locks.release(waiting))
        })
      }),
    acquireLock: (name, { timeoutMs, onLost }) =>
      new Promise(resolve => {
        const cancelTimeout: { run: () => void } = { run: () => undefined }
        let isGranted = false
        const waiting = phone.locks.request(`form ${name}`, tab, () => {
          isGranted = true
          cancelTimeout.run()
          resolve(() => phone.locks.release(waiting))
        })
        waiting.onLost = onLost
        // The tab has the lock: it needs no timeout after which it would take the lock by force.
        if (isGranted && !phone.isOldStory) return
        cancelTimeout.run = after(timeoutMs, () => phone.locks.steal(waiting.name, waiting))
      }),
    onPageVisible(listener) {
      visibleListeners.add(listener)
      return () => visibleListeners.delete(listener)
    },
    broadcast: message => phone.broadcast(tab, message),
    onBroadcast: listener => phone.onBroadcast(tab, message => isAlive() && listener(message)),
    show: () => visibleListeners.forEach(listener => listener()),
  }
}
