import type { Database } from './database.ts'
import { StorageFault, type WhyNotKept, whyNotOpened, whyOf } from './storage-fault.ts'

/** Runs work on the database; a failure of the storage is a StorageFault, whatever the browser made of it. */
export type Guard = <Result>(work: () => PromiseLike<Result>) => Promise<Result>

type Parts = {
  after: (milliseconds: number, run: () => void) => () => void
  monotonic: () => number
}

/** An open that takes longer hangs: Safari's may for ever. Milliseconds. */
const openPatience = 3_000
/** As long as a write of a few kilobytes may take on the slowest phone. */
const workPatience = 10_000
/** A storage that did not open is left alone for this long, so that typing never waits for it. */
const restAfterFailure = 30_000

/**
 * Every use of the database passes through here. What the system closed (iOS does, in the background) is opened
 * again and the work tried once more; what does not open gets a second try, and then a rest.
 */
export function createGuard(database: Database, { after, monotonic }: Parts): Guard {
  let opening: Promise<void> | undefined
  let rest: { until: number; why: WhyNotKept } | undefined
  let blocked = false
  database.on('blocked', () => {
    blocked = true
  })

  async function open(): Promise<void> {
    if (rest && monotonic() < rest.until) throw new StorageFault(rest.why)
    opening ??= openTwice().finally(() => {
      opening = undefined
    })
    await opening
  }

  async function openTwice() {
    rest = undefined
    blocked = false
    try {
      await openOnce().catch(error =>
        whyNotOpened(error) === 'refused' ? Promise.reject(error) : openOnce(),
      )
    } catch (error) {
      const why = blocked ? 'blocked' : whyNotOpened(error)
      rest = { until: monotonic() + restAfterFailure, why }
      throw new StorageFault(why, error)
    }
  }

  /** One that is given up is called off, so that the next one begins anew. */
  async function openOnce() {
    const opened = Promise.resolve(database.open())
    try {
      await within(openPatience, () => opened)
    } catch (error) {
      database.close({ disableAutoOpen: true })
      await opened.catch(() => undefined) // the same failure, or the calling off
      throw error
    }
  }

  async function attempt<Result>(work: () => PromiseLike<Result>): Promise<Result> {
    if (!database.isOpen()) await open()
    return within(workPatience, work)
  }

  /** The browser keeps the order of one connection's writes: one that hangs must not be tried beside itself. */
  function within<Result>(milliseconds: number, work: () => PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const cancel = after(milliseconds, () => reject(new StorageFault('hangs')))
      Promise.resolve(work()).then(resolve, reject).finally(cancel)
    })
  }

  return async work => {
    try {
      return await attempt(work)
    } catch (error) {
      if (isBug(error)) throw error
      if (whyOf(error) !== 'lost' || rest) throw new StorageFault(whyOf(error), error)
    }
    database.close({ disableAutoOpen: false })
    try {
      return await attempt(work)
    } catch (error) {
      throw isBug(error) ? error : new StorageFault(whyOf(error), error)
    }
  }
}

/** Storage fails with errors of its own; these are ours. */
function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
}
