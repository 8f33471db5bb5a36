import type { WipeOptions } from './device.ts'
import { durableTextsDatabase } from './durable-texts.ts'

const draftDatabase = 'portal'
/** For browsers that cannot list their databases. */
const knownDatabases = [draftDatabase, durableTextsDatabase]
/** The browser deletes a database only after other tabs have closed it; a log-out does not wait longer than this. */
const timeoutMs = 2_000

/**
 * Deletes all texts, databases and caches of this origin except the cached files of the portal and the texts of localStorage
 * under these keys. `keepsDrafts`: also except the database of the drafts. Cookies stay.
 */
export async function wipeStorage({ keysToKeep, keepsDrafts }: WipeOptions): Promise<void> {
  wipeTexts(keysToKeep)
  const timeout = new Promise(resolve => {
    setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.allSettled([wipeDatabases(keepsDrafts), wipeCaches()]), timeout])
}

function wipeTexts(keysToKeep: readonly string[]): void {
  try {
    const savedTexts = keysToKeep.map(key => [key, localStorage.getItem(key)] as const)
    localStorage.clear()
    sessionStorage.clear()
    for (const [key, text] of savedTexts) if (text !== null) localStorage.setItem(key, text)
  } catch {
    // The browser refuses storage, so there is nothing to delete.
  }
}

async function wipeDatabases(keepsDrafts: boolean): Promise<void> {
  const listed = 'databases' in indexedDB ? await indexedDB.databases().catch(() => []) : []
  const names = new Set([...knownDatabases, ...listed.flatMap(({ name }) => name ?? [])])
  if (keepsDrafts) names.delete(draftDatabase)
  await Promise.all([...names].map(deleteDatabase))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise(resolve => {
    const request = indexedDB.deleteDatabase(name)
    request.addEventListener('success', () => resolve())
    request.addEventListener('error', () => resolve())
  })
}

/** Keeps the cached files of the portal: they are the same for all applicants and open the portal offline. */
async function wipeCaches(): Promise<void> {
  if (!('caches' in window)) return
  const names = await caches.keys()
  await Promise.all(names.filter(name => !/precache|^parts-/.test(name)).map(name => caches.delete(name)))
}
