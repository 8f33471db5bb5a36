/** `renewDatabaseLog` deletes it at its end; after a crash the next run does. */
const fillerDatabase = 'filler'
const fillerStore = 'bytes'
/** Chromium stores a value of 64 KiB or more outside the log. */
const valueBytes = 48 * 1024
/** LevelDB begins a new log file after 4 MiB. */
const valueCount = 100
/** A device with less room than this needs it for the drafts. */
const minFreeBytes = 50 * 1024 * 1024

/**
 * Makes Chromium begin a new log file for the IndexedDB data of this origin (D64).
 *
 * A browser that is killed in the middle of a write leaves half a record at the end of LevelDB's log. The next run
 * ignores it but writes on behind it. The run after that finds the log corrupt, and Chromium deletes all databases of
 * the origin (google/leveldb#1287). So each page that opens the store writes so many random bytes that LevelDB begins a
 * new log file and deletes the old one. A device with little free space is left out.
 *
 * Never rejects: on a device that is full or refuses storage, the log stays as it is.
 */
export async function renewDatabaseLog(): Promise<void> {
  // Other browsers store IndexedDB in SQLite.
  if (!navigator.userAgent.includes('Chrome/')) return
  try {
    const { quota = 0, usage = 0 } = await navigator.storage.estimate()
    if (quota - usage < minFreeBytes) return
    await fillLog()
  } catch {
    // The next page tries again.
  }
}

async function fillLog(): Promise<void> {
  const opening = indexedDB.open(fillerDatabase, 1)
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(fillerStore))
  const database = await resultOf(opening)
  try {
    for (let count = 0; count < valueCount; count += 1) await putRandomBytes(database)
  } finally {
    database.close()
    await resultOf(indexedDB.deleteDatabase(fillerDatabase))
  }
}

/** One transaction for each value, so that the page can read its drafts in between. */
async function putRandomBytes(database: IDBDatabase): Promise<void> {
  const bytes = crypto.getRandomValues(new Uint8Array(valueBytes))
  const transaction = database.transaction(fillerStore, 'readwrite', { durability: 'relaxed' })
  await resultOf(transaction.objectStore(fillerStore).put(bytes, 0))
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB refused a request')))
  })
}
