import type { Database } from './database.ts'
import { failureReasonOf, openFailureReasonOf } from './failure-reason.ts'
import { type SaveFailureReason, StorageFault } from './storage-fault.ts'

/**
 * Runs work on the database, and once more after a failure that may be a lost connection, so `work` may run twice.
 * @throws StorageFault for every failure of the storage; an error of the program itself (`isProgrammingError`) as it is.
 */
export type DatabaseRunner = <Result>(work: () => PromiseLike<Result>) => Promise<Result>

type Parts = {
  after: (milliseconds: number, run: () => void) => () => void
  monotonic: () => number
  /** Called when the database opens after an attempt to open it has failed. Earlier reads may be incomplete. */
  onRecovered: () => void
}

/** In Safari an open request may hang for ever. */
const openTimeoutMs = 3_000
/** Enough to write a few kilobytes on the slowest phone. */
const workTimeoutMs = 10_000
/**
 * While earlier work hangs, other work waits behind it. A press runs several pieces of work, and must not wait
 * `workTimeoutMs` for each.
 */
const hangingTimeoutMs = 1_000
/**
 * After a failed open, calls fail at once for this long, so that not every save waits for the storage. Then the next
 * call opens the database again. Unless the browser refuses storage, a timer does so without a call, because a form may
 * show older answers than the device has.
 */
const pauseAfterFailureMs = 30_000

/**
 * Opens the database when it is not open. If the system closed the connection (iOS does so in the background), opens
 * it again and runs the work once more.
 */
export function createDatabaseRunner(database: Database, parts: Parts): DatabaseRunner {
  const opener = createOpener(database, parts)
  let hangs = false

  async function attempt<Result>(work: () => PromiseLike<Result>): Promise<Result> {
    if (!database.isOpen()) await opener.open()
    const timeoutMs = hangs ? hangingTimeoutMs : workTimeoutMs
    return withTimeout(parts, timeoutMs, () => clearHangsAfter(work)).catch((error: unknown) => {
      hangs ||= error instanceof StorageFault && error.reason === 'hangs'
      throw error
    })
  }

  /** Work that ends, also after its timeout or with an error, shows that the storage answers again. */
  async function clearHangsAfter<Result>(work: () => PromiseLike<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      hangs = false
    }
  }

  return async work => {
    try {
      return await attempt(work)
    } catch (error) {
      if (isProgrammingError(error)) throw error
      if (failureReasonOf(error) !== 'lost' || opener.hasFailed())
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

/**
 * Opens the connection, with one retry unless the browser refuses storage, and pauses after a failure. Parallel callers share
 * one attempt.
 */
function createOpener(database: Database, parts: Parts) {
  const { after, monotonic, onRecovered } = parts
  let opening: Promise<void> | undefined
  let pause: { until: number; reason: SaveFailureReason } | undefined
  let blocked = false
  database.on('blocked', () => {
    blocked = true
  })

  async function openWithRetry() {
    const isRecovery = pause !== undefined
    pause = undefined
    blocked = false
    try {
      await openOnce(database, parts).catch(error =>
        openFailureReasonOf(error) === 'refused' ? Promise.reject(error) : openOnce(database, parts),
      )
    } catch (error) {
      const reason = blocked ? 'blocked' : openFailureReasonOf(error)
      const newPause = { until: monotonic() + pauseAfterFailureMs, reason }
      pause = newPause
      // A browser that forbids storage does not allow it later.
      if (reason !== 'refused')
        after(pauseAfterFailureMs, () => {
          // By the clock the timer may run a little before the end of the pause.
          newPause.until = -Infinity
          void open().catch(ignoreFault)
        })
      throw new StorageFault(reason, error)
    }
    if (isRecovery) onRecovered()
  }

  async function open(): Promise<void> {
    if (pause && monotonic() < pause.until) throw new StorageFault(pause.reason)
    opening ??= openWithRetry().finally(() => {
      opening = undefined
    })
    await opening
  }

  return {
    open,
    /** Whether the last attempt to open failed and no newer one has begun. */
    hasFailed: () => pause !== undefined,
  }
}

/** No caller has asked for this attempt. `openWithRetry` schedules the next one, unless the browser refuses storage. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}

/** If opening fails or times out, closes the database so that the next attempt opens a new connection. */
async function openOnce(database: Database, parts: Parts) {
  const opened = Promise.resolve(database.open())
  try {
    await withTimeout(parts, openTimeoutMs, () => opened)
    // Dexie ignores a connection that is lost at the end of an upgrade: then it cannot use the new tables.
    if (database.tables.some(table => !('core' in table && table.core))) throw new StorageFault('lost')
  } catch (error) {
    database.close({ disableAutoOpen: true })
    await opened.catch(() => undefined) // the same error, or the one that close() causes
    throw error
  }
}

/**
 * Rejects with the reason `hangs` after the timeout. The runner does not run such work again: the browser runs the
 * writes of one connection in order, so the first run still waits and a second one would wait behind it.
 */
function withTimeout<Result>(
  { after }: Parts,
  timeoutMs: number,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = after(timeoutMs, () => reject(new StorageFault('hangs')))
    Promise.resolve(work()).then(resolve, reject).finally(cancel)
  })
}

/** IndexedDB and Dexie have error classes of their own; these come from a mistake in this program. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
}
