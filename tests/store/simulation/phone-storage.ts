import { IDBFactory as MemoryFactory } from 'fake-indexeddb'
import type { DraftRow, RevisionRow } from '#store/database.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFailingReads, type FailingReads } from './failing-reads.ts'
import { createHangingWrites, type HangingWrites } from './hanging-writes.ts'

/** The disk of one phone: the database that all its tabs share. */
export type Disk = {
  name: string
  factory: IDBFactory
  /** The rows after the last write that a power cut cannot undo. */
  rows: () => DurableRows
  onCommit: (listener: () => void) => void
  /** Whether the disk has the key of the applicant, so that a page can start without a connection. */
  hasKey: () => boolean
  /** Deletes all rows, as the browser does with the database when a shared device is cleared. */
  clear: () => void
  /** Call after a write of the test itself, as of an old release, has committed. */
  reload: (transaction: IDBTransaction) => void
  /** Call after a tab has committed this write. */
  reportTabCommit: (transaction: IDBTransaction) => void
  /** Starts the transactions of other tabs that waited for a transaction of a tab that has died. */
  wake: () => void
}

/** A new object after each write that a power cut cannot undo, so that it can be compared by identity. */
export type DurableRows = { drafts: readonly DraftRow[]; revisions: readonly RevisionRow[] }

export function createDisk(name: string): Disk {
  const factory = new MemoryFactory()
  const listeners: (() => void)[] = []
  let rows: DurableRows = { drafts: [], revisions: [] }
  /** Reads only the tables of the transaction, because another transaction may be running on the other tables. */
  function reload({ objectStoreNames: tables }: Pick<IDBTransaction, 'objectStoreNames'>) {
    rows = {
      drafts: tables.contains('drafts') ? readTable<DraftRow>(factory, name, 'drafts') : rows.drafts,
      revisions: tables.contains('revisions') ? readTable(factory, name, 'revisions') : rows.revisions,
    }
    for (const listener of listeners) listener()
  }
  return {
    name,
    factory,
    rows: () => rows,
    onCommit: listener => void listeners.push(listener),
    hasKey: () => readTable(factory, name, 'keys').length > 0,
    clear() {
      for (const table of memoryOf(factory, name)?.rawObjectStores.values() ?? []) table.clear()
      rows = { drafts: [], revisions: [] }
      for (const listener of listeners) listener()
    },
    reload,
    // A write without strict durability can be lost in a power cut (D64).
    reportTabCommit: transaction => {
      if (transaction.durability === 'strict') reload(transaction)
    },
    wake() {
      const memory = memoryOf(factory, name)
      // fake-indexeddb starts nothing after the abort of a transaction that has not started. `processTransactions` starts
      // at most one, so it is called once for each.
      for (const _ of memory?.transactions ?? []) memory?.processTransactions()
    },
  }
}

type Memory = {
  rawObjectStores: Map<string, { records: { values: () => Iterable<{ value: unknown }> }; clear: () => void }>
  transactions: readonly unknown[]
  processTransactions: () => void
}

/** The inner memory of fake-indexeddb. It is read directly, because a transaction would change the order of the events. */
function memoryOf(factory: IDBFactory, name: string): Memory | undefined {
  // The library has no type for its memory.
  return (factory as unknown as { _databases: Map<string, Memory> })['_databases'].get(name)
}

function readTable<Row>(factory: IDBFactory, name: string, table: string): Row[] {
  const records = memoryOf(factory, name)?.rawObjectStores.get(table)?.records
  return records ? [...records.values()].map(({ value }) => value as Row) : [] // the store writes such rows
}

/** The storage as one tab sees it. */
export type TabStorage = {
  factory: IDBFactory
  failing: FailingStorage
  hanging: HangingWrites
  failingReads: FailingReads
  /**
   * Returns a function that tells whether the writes that run now have ended. Such a write may still run after the page has
   * reported it as failed.
   */
  watchWrites: () => () => boolean
  /** The tab dies: its running transactions abort, and it can begin no other. */
  kill: () => void
  /** Calls the listener when the next write begins. */
  atNextWrite: (listener: () => void) => void
}

export function createTabStorage(
  disk: Disk,
  { after, now }: Pick<VirtualClock, 'after' | 'now'>,
): TabStorage {
  const failing = createFailingStorage(disk.factory)
  const running = new Set<IDBTransaction>()
  const watched = new Set<IDBDatabase>()
  let isDead = false
  let writeListener: (() => void) | undefined
  const isWriting = () => [...running].some(each => each.mode === 'readwrite')
  const failingReads = createFailingReads({ now, after, isWriting })
  const hanging = createHangingWrites({ after, isDead: () => isDead, reportCommit: disk.reportTabCommit })

  function watch(connection: IDBDatabase) {
    if (watched.has(connection)) return
    watched.add(connection)
    const start = connection.transaction.bind(connection)
    connection.close = () => closeConnection(connection, running)
    connection.transaction = (...args) => {
      if (isDead) throw new DOMException('The tab is dead', 'InvalidStateError')
      const isWrite = args[1] === 'readwrite'
      const transaction = isWrite ? start(...args) : failingReads.begin(() => start(...args))
      running.add(transaction)
      transaction.addEventListener('complete', () => {
        running.delete(transaction)
        if (isWrite && !hanging.isReported(transaction)) disk.reportTabCommit(transaction)
      })
      transaction.addEventListener('abort', () => running.delete(transaction))
      if (!isWrite) return transaction
      hanging.onWrite(transaction)
      const listener = writeListener
      writeListener = undefined
      listener?.()
      return transaction
    }
  }

  const factory = new Proxy(failing.factory, {
    get(target, name) {
      if (name !== 'open') return Reflect.get(target, name, target)
      return (...args: Parameters<IDBFactory['open']>) => {
        // No event ever fires for a dead tab.
        if (isDead) return new EventTarget()
        const request = target.open(...args)
        request.addEventListener('upgradeneeded', () => {
          // Dexie remembers the function `transaction` of a connection that creates the tables, so the function must be
          // wrapped before Dexie sees the connection.
          watch(request.result)
          const { transaction } = request
          if (!transaction) return
          running.add(transaction)
          transaction.addEventListener('complete', () => running.delete(transaction))
        })
        request.addEventListener('success', () => watch(request.result))
        return request
      }
    },
  })

  return {
    factory,
    failing,
    hanging,
    failingReads,
    watchWrites() {
      const writes = [...running].filter(each => each.mode === 'readwrite')
      return () => !writes.some(each => running.has(each))
    },
    atNextWrite(listener) {
      writeListener = listener
    },
    kill() {
      isDead = true
      for (const transaction of running) abort(transaction)
      hanging.endAll()
      for (const connection of watched) connection.close()
      disk.wake()
    },
  }
}

/** The inner parts of a connection of fake-indexeddb that this file uses. */
type InnerConnection = { _closePending: boolean; _closed: boolean; _rawDatabase: { connections: unknown[] } }

/**
 * Closes as a browser does, when the transactions of this connection have ended. fake-indexeddb would wait for the
 * transactions of all tabs, and look at each step of the storage whether they have ended. While a write of another tab hangs,
 * it would look so often that the story could reach `maxEvents` (virtual-clock.ts).
 */
function closeConnection(connection: IDBDatabase, running: ReadonlySet<IDBTransaction>) {
  const inner = connection as unknown as InnerConnection // the library has no type for it
  const open = [...running].filter(({ db }) => db === connection).filter(each => !isFinished(each))
  inner['_closePending'] = true
  if (open.length > 0) {
    const closeAgain = () => closeConnection(connection, running)
    for (const end of ['complete', 'abort']) open[0]?.addEventListener(end, closeAgain)
    return
  }
  inner['_closed'] = true
  const raw = inner['_rawDatabase']
  raw.connections = raw.connections.filter(each => each !== connection)
}

/** Whether fake-indexeddb has ended the transaction: true also for a write that is on the disk before its page knows it. */
function isFinished(transaction: IDBTransaction): boolean {
  return (transaction as unknown as { _state: string })['_state'] === 'finished'
}

function abort(transaction: IDBTransaction) {
  try {
    transaction.abort()
  } catch {
    // The transaction is over.
  }
}
