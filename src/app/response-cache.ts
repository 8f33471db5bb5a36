import type { Responses } from '#store/responses.ts'
import type { Services } from './services.ts'

/** Caches answers and claims that this device has seen, encrypted. No function rejects but those of `strict`. */
export type ResponseCache = {
  write: (name: string, value: unknown) => Promise<void>
  read: (name: string) => Promise<unknown>
  remove: (name: string) => Promise<void>
  /** The same store. @throws when the storage fails, so that an undefined value means that nothing is cached */
  strict: Pick<ResponseCache, 'read' | 'write'>
}

/** This cache is optional. If the store cannot be read or written, callers get `undefined` and call the server. */
export function createResponseCache(openStore: Services['openStore']): ResponseCache {
  async function withStore<Value>(work: (seen: Responses) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work((await openStore()).responses)
    } catch {
      return undefined // no store, or an operation of the store failed: nothing is cached
    }
  }

  return {
    write: (name, value) => withStore(seen => seen.write(name, value)),
    read: name => withStore(seen => seen.read(name)),
    remove: name => withStore(seen => seen.remove(name)),
    strict: {
      write: async (name, value) => (await openStore()).responses.write(name, value),
      read: async name => (await openStore()).responses.read(name),
    },
  }
}
