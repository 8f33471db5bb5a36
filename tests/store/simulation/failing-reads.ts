/**
 * How a read fails. `at once`: the browser does not begin it, as when it has lost its connection to the database. `later`: the
 * read begins, and then its transaction aborts, as when the disk cannot be read.
 */
export const readFailures = ['at once', 'later'] as const
export type FailingRead = { moment: (typeof readFailures)[number]; forMs: number }

type Parts = {
  now: () => number
  after: (milliseconds: number, run: () => void) => void
  /** Whether a write of this tab has begun and not ended. */
  isWriting: () => boolean
}

export type FailingReads = ReturnType<typeof createFailingReads>

/** The reads of one tab that fail while a write of this tab runs: the page then knows less than the disk will have. */
export function createFailingReads({ now, after, isWriting }: Parts) {
  let failing: { moment: FailingRead['moment']; until: number } | undefined

  return {
    /** From now on, for `forMs`, each read fails that begins during a write. */
    failFor({ moment, forMs }: FailingRead) {
      failing = { moment, until: now() + forMs }
    },
    /** Begins a read, or throws what the browser throws. */
    begin(start: () => IDBTransaction): IDBTransaction {
      if (!failing || now() > failing.until || !isWriting()) return start()
      if (failing.moment === 'at once') throw readError()
      const transaction = start()
      Object.defineProperty(transaction, 'error', { get: readError })
      after(1, () => abort(transaction))
      return transaction
    },
    /** The disk answers again. */
    end() {
      failing = undefined
    },
  }
}

function readError(): DOMException {
  return new DOMException('Internal error', 'UnknownError')
}

function abort(transaction: IDBTransaction) {
  try {
    transaction.abort()
  } catch {
    // The transaction is over.
  }
}
