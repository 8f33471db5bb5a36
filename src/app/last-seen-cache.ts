import type { LastSeen } from '#store/last-seen.ts'
import type { Services } from './services.ts'

/** Caches answers and claims that this device has seen, encrypted. No function rejects but those of `strict`. */
export type LastSeenCache = {
  write: (name: string, value: unknown) => Promise<void>
  read: (name: string) => Promise<unknown>
  remove: (name: string) => Promise<void>
  /** The same store. @throws when the storage fails, so that an undefined value means that nothing is cached */
  strict: Pick<LastSeenCache, 'read' | 'write'>
}

/** This cache is optional. If the store cannot be read or written, callers get `undefined` and call the server. */
export function createLastSeenCache(openStore: Services['openStore']): LastSeenCache {
  async function withStore<Value>(work: (seen: LastSeen) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work((await openStore()).lastSeen)
    } catch {
      return undefined // no store, or an operation of the store failed: nothing is cached
    }
  }

  return {
    write: (name, value) => withStore(seen => seen.write(name, value)),
    read: name => withStore(seen => seen.read(name)),
    remove: name => withStore(seen => seen.remove(name)),
    strict: {
      write: async (name, value) => (await openStore()).lastSeen.write(name, value),
      read: async name => (await openStore()).lastSeen.read(name),
    },
  }
}
