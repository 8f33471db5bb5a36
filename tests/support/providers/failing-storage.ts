import { IDBFactory as MemoryFactory } from 'fake-indexeddb'
import { vi } from 'vitest'

export type StorageTrouble =
  | 'none'
  /** The open request emits no event. */
  | 'open hangs'
  /** open() throws, as in a browser whose policy forbids storage. */
  | 'open is forbidden'
  /** The open request fails, as in private windows of Firefox. */
  | 'open is refused'
  /** The open request fails, as when the browser has just restarted after a crash. */
  | 'open fails'
  /** A put succeeds, and its transaction aborts because the disk is full. */
  | 'disk is full'
  /** As `disk is full`, but only for a transaction that calls `add`, as for the earlier answers. A draft is a `put`. */
  | 'only drafts fit'
  /** Requests of a transaction emit no event. */
  | 'work hangs'
  /** transaction() throws until the database is opened again. */
  | 'connection is lost'
  /** transaction() throws, also after the database is opened again. */
  | 'connection stays lost'

export type FailingStorage = {
  factory: IDBFactory
  trouble: StorageTrouble
  /** How often the database was asked to open. */
  opens: number
  connections: IDBDatabase[]
}

/** The IndexedDB of a browser; it works until a test sets `trouble`. Pass one `real` for two tabs of one browser. */
export function createFailingStorage(real: IDBFactory = new MemoryFactory()): FailingStorage {
  const storage: FailingStorage = { factory: real, trouble: 'none', opens: 0, connections: [] }
  storage.factory = new Proxy(real, {
    get(target, name) {
      if (name === 'open')
        return (...openArgs: Parameters<IDBFactory['open']>) => open(storage, target, openArgs)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return storage
}

function open(storage: FailingStorage, real: IDBFactory, openArgs: Parameters<IDBFactory['open']>) {
  storage.opens += 1
  if (storage.trouble === 'open is forbidden') throw new DOMException('denied', 'SecurityError')
  if (storage.trouble === 'open hangs') return new EventTarget() as IDBOpenDBRequest // no event ever fires
  if (storage.trouble === 'open is refused') return failing(new DOMException('no', 'InvalidStateError'))
  if (storage.trouble === 'open fails') return failing(new DOMException('Internal error', 'UnknownError'))
  if (storage.trouble === 'connection is lost') storage.trouble = 'none'
  const request = real.open(...openArgs)
  request.addEventListener('success', () => {
    const connection = request.result
    storage.connections.push(connection)
    const transaction = connection.transaction.bind(connection)
    connection.transaction = (...args) => begin(storage, () => transaction(...args), args[1])
  })
  return request
}

function begin(storage: FailingStorage, start: () => IDBTransaction, mode?: IDBTransactionMode) {
  if (storage.trouble.startsWith('connection'))
    throw new DOMException(
      'Connection to Indexed Database server lost. Refresh the page to try again',
      'UnknownError',
    )
  const transaction = start()
  if (storage.trouble === 'work hangs') {
    const find = transaction.objectStore.bind(transaction)
    transaction.objectStore = name => withoutEvents(find(name))
  }
  const { trouble } = storage
  if ((trouble === 'disk is full' || trouble === 'only drafts fit') && mode === 'readwrite') {
    const find = transaction.objectStore.bind(transaction)
    const method = trouble === 'disk is full' ? 'put' : 'add'
    transaction.objectStore = name => abortAt(method, transaction, find(name))
  }
  return transaction
}

/** From now on `replace` gives the object stores of all transactions, until `vi.restoreAllMocks`. */
export function replaceStores(replace: (store: IDBObjectStore, mode: IDBTransactionMode) => IDBObjectStore) {
  const find: IDBTransaction['objectStore'] = Reflect.get(IDBTransaction.prototype, 'objectStore')
  return vi.spyOn(IDBTransaction.prototype, 'objectStore').mockImplementation(function replaced(
    this: IDBTransaction,
    name: string,
  ) {
    return replace(Reflect.apply(find, this, [name]), this.mode)
  })
}

/** Returns a proxy of the store or index: requests of the proxy, and of its indexes, emit no event. */
export function withoutEvents<Source extends IDBObjectStore | IDBIndex>(source: Source): Source {
  return new Proxy(source, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'index') return () => new EventTarget()
      return (index: string) => withoutEvents((target as IDBObjectStore).index(index))
    },
  })
}

/** Lets the request succeed and then aborts its transaction, as browsers do on a full disk. */
function abortAt(method: 'put' | 'add', transaction: IDBTransaction, store: IDBObjectStore): IDBObjectStore {
  const send = store[method].bind(store)
  store[method] = (...args) => {
    const request = send(...args)
    request.addEventListener('success', () => {
      Object.defineProperty(transaction, 'error', {
        get: () => new DOMException('The quota has been exceeded.', 'QuotaExceededError'),
      })
      transaction.abort()
    })
    return request
  }
  return store
}

function failing(error: DOMException): IDBOpenDBRequest {
  const request: { error: DOMException; onerror: ((event: Event) => void) | undefined } = {
    error,
    onerror: undefined,
  }
  // In a later task, as a browser does: the caller sets `onerror` first.
  setTimeout(() => {
    const event = new Event('error', { cancelable: true })
    Object.defineProperty(event, 'target', { value: request })
    request.onerror?.(event)
  })
  return request as unknown as IDBOpenDBRequest // only the parts that the caller reads
}
