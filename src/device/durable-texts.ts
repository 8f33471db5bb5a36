import { doNothing } from './do-nothing.ts'

/**
 * Browsers write localStorage to the disk seconds later, so a power cut loses the newest texts. This copy is written at
 * once, in one row of IndexedDB with strict durability (D64).
 */
export type DurableTexts = {
  /** Copies the texts to IndexedDB; call after each write of a key. Ignored when the browser refuses storage. */
  save: (key: string) => void
  /**
   * Resolves when localStorage has the newer copy, after `timeoutMs` at the latest. A row that is read later still replaces the
   * texts of an older localStorage, except those that this page, or another tab since the start of this page, has saved.
   * Never rejects.
   */
  restored: () => Promise<void>
}

type TextStorage = {
  read: (key: string) => string | undefined
  /** Undefined removes the text. */
  write: (key: string, text: string | undefined) => void
}

/** `saveCount` increases with each change, also in localStorage, so that a start finds out which copy is newer. */
type Row = { saveCount: number; texts: Record<string, string> }

export const durableTextsDatabase = 'settings'
export const saveCountKey = 'settings-saved'
const storeName = 'texts'
const rowKey = 'texts'
/** A start does not wait longer for a storage that hangs. */
const timeoutMs = 1_000

export function createDurableTexts(
  keys: readonly string[],
  storage: TextStorage,
  factory: () => IDBFactory = () => indexedDB,
): DurableTexts {
  /** What this page has saved: a restored text does not replace it. */
  const saved: Record<string, string | undefined> = {}

  const readCount = () => toCount(storage.read(saveCountKey))
  const readTexts = () =>
    Object.fromEntries(keys.map(key => [key, storage.read(key)]).filter(([, text]) => text !== undefined))

  /** A text that later differs from this was saved by another tab, which writes its earlier saves again itself. */
  const textsAtStart = readTexts()

  /** The saves of this page do not make an old localStorage newer than the row. Those of another tab count. */
  let ownSaveCount = 0

  function copyNewer(row: Row | undefined) {
    const rowCount = toCount(row?.saveCount)
    if (row && rowCount > readCount() - ownSaveCount) {
      for (const key of keys) {
        if (key in saved) storage.write(key, saved[key])
        else if (storage.read(key) === textsAtStart[key]) storage.write(key, row.texts[key])
      }
      storage.write(saveCountKey, String(Math.max(readCount(), rowCount)))
    } else if (!row && Object.keys(readTexts()).length > 0) copy()
  }

  /** Reads the texts inside the transaction, so that of two tabs the later one writes the newer texts. */
  function writeRow() {
    return useRow(factory, 'readwrite', (row, store) => {
      const saveCount = Math.max(readCount(), toCount(row?.saveCount))
      storage.write(saveCountKey, String(saveCount))
      store.put({ saveCount, texts: readTexts() }, rowKey)
    })
  }

  function copy() {
    const countBefore = readCount()
    storage.write(saveCountKey, String(countBefore + 1))
    ownSaveCount += readCount() - countBefore // 0 when localStorage refuses the write
    // A count of 0 means that there is no localStorage to copy.
    if (readCount() > 0) lastWrite = lastWrite.then(writeRow).catch(doNothing)
  }

  const restored = useRow(factory, 'readonly', copyNewer).catch(doNothing)
  // A write before the row was read would replace the newer row.
  let lastWrite: Promise<unknown> = restored

  return {
    save(key) {
      saved[key] = storage.read(key)
      copy()
    },
    async restored() {
      await Promise.race([restored, new Promise(resolve => setTimeout(resolve, timeoutMs))])
    },
  }
}

/**
 * A damaged count is 0, so that the other copy replaces it. Without this, NaN would be neither older nor newer, and no text
 * would be copied again.
 */
function toCount(saved: unknown): number {
  const count = Number(saved ?? 0)
  return Number.isSafeInteger(count) && count >= 0 ? count : 0
}

/** Opens the database for one transaction only, so that a wipe can delete it. */
async function useRow(
  factory: () => IDBFactory,
  mode: IDBTransactionMode,
  use: (row: Row | undefined, store: IDBObjectStore) => void,
): Promise<void> {
  const opening = factory().open(durableTextsDatabase)
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(storeName))
  await settled(opening, 'success')
  const database = opening.result
  try {
    const transaction = database.transaction(storeName, mode, { durability: 'strict' })
    const store = transaction.objectStore(storeName)
    const reading: IDBRequest<Row | undefined> = store.get(rowKey)
    reading.addEventListener('success', () => use(reading.result, store))
    await settled(transaction, 'complete')
  } finally {
    database.close()
  }
}

function settled(target: EventTarget, success: string): Promise<void> {
  return new Promise((resolve, reject) => {
    target.addEventListener(success, () => resolve())
    for (const failure of ['error', 'abort'])
      target.addEventListener(failure, () => reject(new Error(`The settings database: ${failure}`)))
  })
}
