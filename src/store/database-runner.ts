import type { Database } from './database.ts'
import {
  StorageFault,
  type SaveFailureReason,
  openFailureReasonOf,
  failureReasonOf,
} from './storage-fault.ts'

/** Runs work on the database; a failure of the storage is a StorageFault, whatever the browser made of it. */
export type DatabaseRunner = <Result>(work: () => PromiseLike<Result>) => Promise<Result>

type Parts = {
  after: (milliseconds: number, run: () => void) => () => void
  monotonic: () => number
}

/** An open that takes longer hangs: Safari's may for ever. Milliseconds. */
const openTimeoutMs = 3_000
/** As long as a write of a few kilobytes may take on the slowest phone. */
const workTimeoutMs = 10_000
/** A storage that did not open is left alone for this long, so that typing never waits for it. */
const pauseAfterFailureMs = 30_000

/**
 * Every use of the database passes through here. What the system closed (iOS does, in the background) is opened
 * again and the work tried once more; what does not open gets a second try, and then a rest.
 */
export function createDatabaseRunner(database: Database, { after, monotonic }: Parts): DatabaseRunner {
  let opening: Promise<void> | undefined
  let pauseAfterFault: { until: number; reason: SaveFailureReason } | undefined
  let blocked = false
  database.on('blocked', () => {
    blocked = true
  })

  async function open(): Promise<void> {
    if (pauseAfterFault && monotonic() < pauseAfterFault.until) throw new StorageFault(pauseAfterFault.reason)
    opening ??= openWithRetry().finally(() => {
      opening = undefined
    })
    await opening
  }

  async function openWithRetry() {
    pauseAfterFault = undefined
    blocked = false
    try {
      await openOnce().catch(error =>
        openFailureReasonOf(error) === 'refused' ? Promise.reject(error) : openOnce(),
      )
    } catch (error) {
      const reason = blocked ? 'blocked' : openFailureReasonOf(error)
      pauseAfterFault = { until: monotonic() + pauseAfterFailureMs, reason }
      throw new StorageFault(reason, error)
    }
  }

  /** One that is given up is called off, so that the next one begins anew. */
  async function openOnce() {
    const opened = Promise.resolve(database.open())
    try {
      await withTimeout(openTimeoutMs, () => opened)
    } catch (error) {
      database.close({ disableAutoOpen: true })
      await opened.catch(() => undefined) // the same failure, or the calling off
      throw error
    }
  }

  async function attempt<Result>(work: () => PromiseLike<Result>): Promise<Result> {
    if (!database.isOpen()) await open()
    return withTimeout(workTimeoutMs, work)
  }

  /** The browser keeps the order of one connection's writes: one that hangs must not be tried beside itself. */
  function withTimeout<Result>(milliseconds: number, work: () => PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const cancel = after(milliseconds, () => reject(new StorageFault('hangs')))
      Promise.resolve(work()).then(resolve, reject).finally(cancel)
    })
  }

  return async work => {
    try {
      return await attempt(work)
    } catch (error) {
      if (isProgrammingError(error)) throw error
      if (failureReasonOf(error) !== 'lost' || pauseAfterFault)
        throw new StorageFault(failureReasonOf(error), error)
    }
    database.close({ disableAutoOpen: false })
    try {
      return await attempt(work)
    } catch (error) {
      throw isProgrammingError(error) ? error : new StorageFault(failureReasonOf(error), error)
    }
  }
}

/** Storage fails with errors of its own; these are ours. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
}
