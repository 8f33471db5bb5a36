import type { QueryClient } from '@tanstack/react-query'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** An answer that is older than this is read again at a return to the tab. Without this value none is read again. */
      staleAtReturnMs?: number
    }
  }
}

/**
 * The reads that the portal begins without an act of the applicant. While one of them runs, every read of a query counts as
 * automatic (D89), because some queries read through others.
 * `personal`: the names of the queries whose answer may come from the cache of the device before the page has a token.
 */
export function createAutomaticReads(personal: readonly unknown[]) {
  let running = 0

  async function run(reads: () => Promise<void>): Promise<void> {
    running += 1
    await reads()
    running -= 1
  }

  return {
    isReading: () => running > 0,
    /** When the applicant comes back to the tab: reads the stale answers of the page again. */
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
    /** When the page gets its first token. Dictionaries are the same for all applicants and are not read. */
    readPersonal: (client: QueryClient) =>
      run(() => client.invalidateQueries({ predicate: ({ queryKey }) => personal.includes(queryKey[0]) })),
  }
}
