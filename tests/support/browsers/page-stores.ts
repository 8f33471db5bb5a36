import type { Page } from 'playwright-core'

/**
 * What the origin of the page has stored, except cookies. `text`: all of it. `rows` and `keys`: the number of rows of
 * IndexedDB and of CryptoKeys in them. `tables`: the names of the tables that have rows. `settings`: the copy in
 * IndexedDB of texts of localStorage (D64); it does not count as a row or a table.
 */
export type PageStores = {
  rows: number
  tables: string[]
  keys: number
  settings: Record<string, string>
  text: string
}

export function readPageStores(page: Page): Promise<PageStores> {
  return page.evaluate(readStores)
}

/** Runs in the page. */
async function readStores(): Promise<PageStores> {
  const rows: unknown[] = []
  const tables: string[] = []
  let settings: Record<string, string> = {}
  for (const { name } of await indexedDB.databases()) {
    // Random bytes, for about a second after a page opens the store (D64, renew-database-log.ts).
    if (name === 'filler') continue
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name ?? '')
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => reject(request.error))
    })
    for (const store of database.objectStoreNames) {
      const found = await new Promise<unknown[]>((resolve, reject) => {
        const request = database.transaction(store).objectStore(store).getAll()
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error))
      })
      if (name === 'settings') settings = (found[0] as { texts: typeof settings } | undefined)?.texts ?? {}
      else {
        rows.push(...found)
        if (found.length > 0) tables.push(store)
      }
    }
    database.close()
  }
  const texts: string[] = [localStorage, sessionStorage].map(storage =>
    JSON.stringify(Object.entries(storage)),
  )
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const answer = await cache.match(request)
      texts.push(request.url, (await answer?.text()) ?? '')
    }
  }
  let keys = 0
  const stored = JSON.stringify(rows, (_, value: unknown) => {
    if (value instanceof CryptoKey) keys += 1
    return value instanceof ArrayBuffer || value instanceof Uint8Array
      ? new TextDecoder().decode(value)
      : value
  })
  const text = [stored, JSON.stringify(settings), ...texts].join('\n')
  return { rows: rows.length, tables, keys, settings, text }
}
