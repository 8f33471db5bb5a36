import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { StorageFault } from '#store/storage-fault.ts'
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

/** The browser functions of one tab. `tab` identifies the tab; `isAlive`: a dead tab runs no timer and gets no message. */
export function createTabDevice(
  phone: Phone,
  clock: VirtualClock,
  { tab, isAlive, report }: { tab: object; isAlive: () => boolean; report: (fault: string) => void },
): TabDevice & { show: () => void } {
  const visibleListeners = new Set<() => void>()
  const after: Device['after'] = (milliseconds, run) =>
    clock.after(milliseconds, () => isAlive() && runReporting(run, report))
  return {
    now: () => clock.now() + phone.clockErrorMs,
    monotonic: () => clock.elapsed(),
    after,
    randomId: phone.nextId,
    readText: key => phone.texts.get(key),
    saveText: (key, text) => (phone.hasSessions ? putText(phone.texts, key, text) : undefined),
    withLock: (name, run) =>
      new Promise((resolve, reject) => {
        const waiting = phone.locks.request(`work ${name}`, tab, () => {
          // `run` starts later, as in a browser, because `request` may grant the lock before it returns.
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
        // The tab has the lock: it needs no timeout after which it would take the lock by force. In an old story
        // (`isOldStory`) it sets one all the same.
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

/** Runs a timer. Reports what it throws, but no storage fault: a log-out throws one only for the browser to report. */
function runReporting(run: () => void, report: (fault: string) => void) {
  try {
    run()
  } catch (error) {
    if (!(error instanceof StorageFault)) report(`an error that nothing caught: ${String(error)}`)
  }
}

/** The browser functions of a tab with a real session. `replacePage`: ends the page. */
export function createSessionDevice(
  phone: Phone,
  device: ReturnType<typeof createTabDevice>,
  replacePage: () => void,
): Device {
  const tabTexts = new Map<string, string>()
  const more: Partial<Device> = {
    seemsOnline: () => true,
    onConnection: () => doNothing,
    isPageVisible: () => true,
    onPageHidden: () => doNothing,
    onPageRestored: () => doNothing,
    isLockHeld: async name => phone.locks.isHeld(`work ${name}`),
    saveTabText: (key, text) => putText(tabTexts, key, text),
    readTabText: key => tabTexts.get(key),
    async wipe({ keysToKeep, keepsDrafts }) {
      for (const key of phone.texts.keys()) if (!keysToKeep.includes(key)) phone.texts.delete(key)
      tabTexts.clear()
      if (!keepsDrafts) phone.disk.clear()
    },
    replacePage,
  }
  return { ...device, ...more } as Device // the session and its end use no other function
}

function putText(texts: Map<string, string>, key: string, text: string | undefined) {
  if (text === undefined) texts.delete(key)
  else texts.set(key, text)
}
