/**
 * When a write that hangs reaches the disk. `begins late` and `commits late`: after the pause; until then every other
 * transaction on its tables waits, also in the other tabs. `is reported late`: at once, but the page learns of it after the
 * pause only.
 */
export const hangMoments = ['begins late', 'commits late', 'is reported late'] as const
type HangMoment = (typeof hangMoments)[number]
export type Hang = { moment: HangMoment; forMs: number }

type Parts = {
  after: (milliseconds: number, run: () => void) => void
  isDead: () => boolean
  /** A write has reached the disk, and the page does not know it. */
  reportCommit: (transaction: IDBTransaction) => void
}

export type HangingWrites = ReturnType<typeof createHangingWrites>

/**
 * The writes of one tab that hang: the runner of the database waits at most 10 s, then tells the page that the write
 * has failed.
 */
export function createHangingWrites({ after, isDead, reportCommit }: Parts) {
  const held = new Set<() => void>()
  const unreported = new Set<IDBTransaction>()
  const reported = new WeakSet<IDBTransaction>()
  let next: Hang | undefined

  /** Runs `run` after the pause, or at the end of all hangs. */
  function hold(forMs: number, run: () => void) {
    const end = () => {
      if (held.delete(end)) run()
    }
    held.add(end)
    after(forMs, end)
  }

  /** The transaction has its place in the order of all transactions, and continues after the pause. */
  function delayRun(inner: InnerTransaction, { moment, forMs }: Hang) {
    const run = inner['_start'].bind(inner)
    let isOver = false
    inner['_start'] = () => {
      const isLast = inner['_started'] && inner['_requests'].length === 0
      if (isOver || (moment === 'commits late' && !isLast)) return run()
      isOver = true
      inner['_started'] = true
      // A tab that has died has aborted it.
      hold(forMs, () => inner['_state'] !== 'finished' && run())
    }
  }

  function delayReport(transaction: IDBTransaction, inner: InnerTransaction, { forMs }: Hang) {
    const dispatch = transaction.dispatchEvent.bind(transaction)
    transaction.dispatchEvent = event => {
      if (event.type !== 'complete') return dispatch(event)
      reportCommit(transaction)
      reported.add(transaction)
      inner.db['_rawDatabase'].processTransactions()
      unreported.add(transaction)
      hold(forMs, () => {
        unreported.delete(transaction)
        if (!isDead()) dispatch(event)
      })
      return true
    }
  }

  return {
    /** The next write of a draft hangs. */
    hangNext(hang: Hang) {
      next = hang
    },
    /** Call it when a write begins. */
    onWrite(transaction: IDBTransaction) {
      const hang = next
      if (!hang || !transaction.objectStoreNames.contains('drafts')) return
      next = undefined
      const inner = transaction as unknown as InnerTransaction // the library has no type for it
      if (hang.moment === 'is reported late') delayReport(transaction, inner, hang)
      else delayRun(inner, hang)
    },
    /** Whether this commit was reported before the page learns of it. */
    isReported: (transaction: IDBTransaction) => reported.has(transaction),
    /** Whether a write is on the disk and its page does not know it yet: it may not have reported which answers it replaced. */
    hasUnreported: () => unreported.size > 0,
    /** The disk answers again. */
    endAll() {
      next = undefined
      for (const end of held) end()
    },
  }
}

/** The inner parts of a transaction of fake-indexeddb that this file uses. */
type InnerTransaction = {
  _start: () => void
  _started: boolean
  _state: string
  _requests: readonly unknown[]
  db: { _rawDatabase: { processTransactions: () => void } }
}
