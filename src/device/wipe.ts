/** An older browser does not list its databases. */
const knownDatabases = ['portal']
/** A database that another tab holds open goes when that tab lets go; no storage may hold up a log-out. */
const timeoutMs = 2_000

/** Deletes what this origin has stored, but the shell's files and the texts under these keys. */
export async function wipeStorage(keysToKeep: readonly string[]): Promise<void> {
  wipeTexts(keysToKeep)
  const timeout = new Promise(resolve => {
    setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.allSettled([wipeDatabases(), wipeCaches()]), timeout])
}

function wipeTexts(keysToKeep: readonly string[]): void {
  try {
    const savedTexts = keysToKeep.map(key => [key, localStorage.getItem(key)] as const)
    localStorage.clear()
    sessionStorage.clear()
    for (const [key, text] of savedTexts) if (text !== null) localStorage.setItem(key, text)
  } catch {
    // Where storage is refused there is nothing to wipe.
  }
}

async function wipeDatabases(): Promise<void> {
  const listed = 'databases' in indexedDB ? await indexedDB.databases() : []
  const names = new Set([...knownDatabases, ...listed.flatMap(({ name }) => name ?? [])])
  await Promise.all([...names].map(deleteDatabase))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise(resolve => {
    const request = indexedDB.deleteDatabase(name)
    request.addEventListener('success', () => resolve())
    request.addEventListener('error', () => resolve())
  })
}

/** The shell is the same for everybody, and without it the next applicant could not start without the line. */
async function wipeCaches(): Promise<void> {
  if (!('caches' in window)) return
  const names = await caches.keys()
  await Promise.all(names.filter(name => !/precache|^parts-/.test(name)).map(name => caches.delete(name)))
}
