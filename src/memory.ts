import type { LastSeen } from '#store/last-seen.ts'
import type { Services } from './services.ts'

/** Keeps and gives back what was seen, and never fails. */
export type Memory = {
  keep: (name: string, value: unknown) => Promise<void>
  recall: (name: string) => Promise<unknown>
  remove: (name: string) => Promise<void>
}

/** What the device has seen is a comfort: where it cannot be kept or read, the line is asked as ever. */
export function createMemory(openStore: Services['openStore']): Memory {
  async function attempt<Value>(work: (seen: LastSeen) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work((await openStore()).lastSeen)
    } catch {
      return undefined // no store, or one that fails: nothing was seen
    }
  }

  return {
    keep: (name, value) => attempt(seen => seen.keep(name, value)),
    recall: name => attempt(seen => seen.recall(name)),
    remove: name => attempt(seen => seen.remove(name)),
  }
}
