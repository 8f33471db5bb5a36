import type { LastSeen } from '#store/last-seen.ts'
import type { Services } from './services.ts'

/** Keeps and gives back what was seen, and never fails. */
export type LastSeenCache = {
  write: (name: string, value: unknown) => Promise<void>
  read: (name: string) => Promise<unknown>
  remove: (name: string) => Promise<void>
}

/** What the device has seen is a comfort: where it cannot be kept or read, the line is asked as ever. */
export function createLastSeenCache(openStore: Services['openStore']): LastSeenCache {
  async function withStore<Value>(work: (seen: LastSeen) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work((await openStore()).lastSeen)
    } catch {
      return undefined // no store, or one that fails: nothing was seen
    }
  }

  return {
    write: (name, value) => withStore(seen => seen.write(name, value)),
    read: name => withStore(seen => seen.read(name)),
    remove: name => withStore(seen => seen.remove(name)),
  }
}
