import { doNothing } from './do-nothing.ts'

// Locks among the tabs of the browser. The type `Device` says what each function promises.

export function withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return run()
  let isGranted = false
  // Where the user refuses storage, the browser refuses locks too. Work that has begun and failed must not run again.
  return navigator.locks
    .request(name, () => ((isGranted = true), run()))
    .catch(error => (isGranted ? Promise.reject(error) : run()))
}

export async function isLockHeld(name: string): Promise<boolean> {
  if (!('locks' in navigator)) return false
  const { held = [] } = await navigator.locks.query().catch(() => ({ held: [] }))
  return held.some(lock => lock.name === name)
}

export async function acquireLock(
  name: string,
  { timeoutMs, onLost }: { timeoutMs: number; onLost: () => void },
): Promise<() => void> {
  if (!('locks' in navigator)) return () => undefined
  return (
    (await requestLock(name, { signal: signalAfter(timeoutMs) }, onLost)) ??
    (await requestLock(name, { steal: true }, onLost)) ??
    (() => undefined)
  )
}

/** Resolves to the release function; undefined when the signal aborts before the grant, or the browser refuses the lock. */
function requestLock(
  name: string,
  options: LockOptions,
  onLost: () => void,
): Promise<(() => void) | undefined> {
  return new Promise(resolve => {
    let isHeld = false
    const { promise: released, resolve: release } = createLatch()
    navigator.locks
      .request(name, options, () => {
        isHeld = true
        resolve(release)
        return released
      })
      // Rejects on abort before the grant, when the browser refuses the lock, and when another tab steals the held lock.
      .catch(() => (isHeld ? onLost() : resolve(undefined)))
  })
}

function createLatch(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = doNothing
  const promise = new Promise<void>(resolvePromise => {
    resolve = resolvePromise
  })
  return { promise, resolve: () => resolve() }
}

function signalAfter(delayMs: number): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), delayMs)
  return stop.signal
}
