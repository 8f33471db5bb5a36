import type { ResponseCache } from '#api/cached-call.ts'
import type { Responses } from '#store/responses.ts'
import type { Services } from './services.ts'

/**
 * This cache is optional. If the store fails, callers get `undefined` and call the server; only `orThrow` rejects. All
 * calls of `openStore` get the same store.
 */
export function createResponseCache(openStore: Services['openStore']): ResponseCache {
  async function withStore<Value>(
    work: (responses: Responses) => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await work((await openStore()).responses)
    } catch {
      return undefined // no store, or an operation of the store failed: nothing is cached
    }
  }

  return {
    write: (name, value, timeBefore) => withStore(responses => responses.write(name, value, timeBefore)),
    read: name => withStore(responses => responses.read(name)),
    remove: name => withStore(responses => responses.remove(name)),
    orThrow: {
      write: async (name, value) => (await openStore()).responses.write(name, value),
      read: async name => (await openStore()).responses.read(name),
    },
  }
}
