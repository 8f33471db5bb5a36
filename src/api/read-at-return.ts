import { doNothing } from '#device/do-nothing.ts'

/** The part of a query of TanStack Query that is needed here, whatever its answer is. */
type ReadQuery = {
  state: { fetchStatus: string }
  isStaleByTime: (staleTimeMs: number) => boolean
  fetch: () => Promise<unknown>
}

/** The part of the context of a query function that is needed here. */
type ReadContext = {
  client: { getQueryCache: () => { find: (filters: { queryKey: readonly unknown[] }) => object | undefined } }
  queryKey: readonly unknown[]
}

/** The queries that are read now because the applicant has come back to the tab. */
const readNow = new WeakSet()

/**
 * A value of `refetchOnWindowFocus`: reads again what is older than `staleTimeMs`. It starts the read itself, so that the
 * query function can say that the applicant has not asked for it (D89).
 */
export function readAtReturn(staleTimeMs: number): (query: ReadQuery) => false {
  return query => {
    if (query.state.fetchStatus === 'idle' && query.isStaleByTime(staleTimeMs)) {
      readNow.add(query)
      void query
        .fetch()
        .catch(doNothing)
        .finally(() => readNow.delete(query))
    }
    return false
  }
}

/** For a query function: the options of its call. */
export function optionsOfRead({ client, queryKey }: ReadContext) {
  return { automatic: readNow.has(client.getQueryCache().find({ queryKey }) ?? {}) }
}
