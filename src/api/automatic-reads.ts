import type { QueryClient } from '@tanstack/react-query'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** At a return to the tab, the query is read again if its answer is older than this. Without this value it is not. */
      staleAtReturnMs?: number
    }
  }
}

/**
 * The reads that the portal begins without an act of the applicant. A 403 or 429 without this server's field `reason`
 * may come from a proxy, so it opens no other page then (D89). While one of these reads runs, every read of a query
 * counts as automatic, because the function of one query may read another query.
 * `personal`: the names of the queries of the applicant's own data whose answers come from the cache of the device
 * while the page has no token.
 */
export function createAutomaticReads(personal: readonly unknown[]) {
  let running = 0

  async function run(reads: () => Promise<void>): Promise<void> {
    running += 1
    await reads().finally(() => (running -= 1))
  }

  return {
    isReading: () => running > 0,
    /** When the applicant comes back to the tab: fetches new answers in place of the stale ones of the page. */
    readAtReturn: (client: QueryClient) =>
      run(() =>
        client.refetchQueries({
          type: 'active',
          fetchStatus: 'idle',
          predicate: query => {
            const staleMs = query.meta?.staleAtReturnMs
            return staleMs !== undefined && query.isStaleByTime(staleMs)
          },
        }),
      ),
    /** When the service can be reached again: without this a list would stay empty until the applicant leaves the screen. */
    readFailed: (client: QueryClient) =>
      run(() =>
        client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' }),
      ),
    /**
     * When this page gets the first token of a session. Leaves out the dictionaries, because they are the same for all
     * applicants.
     */
    readPersonal: (client: QueryClient) =>
      run(() => client.invalidateQueries({ predicate: ({ queryKey }) => personal.includes(queryKey[0]) })),
  }
}
