import type { QueryClient, QueryFunctionContext } from '@tanstack/react-query'
import { doNothing } from '#device/do-nothing.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** An answer that is older than this is read again at a return to the tab; without this value it never is. */
      staleAtReturnMs?: number
    }
  }
}

/** The queries that are read now because the applicant has come back to the tab. */
const readNow = new WeakSet()

/**
 * Reads the old answers of the page again when the applicant comes back to the tab. It replaces the option
 * `refetchOnWindowFocus` for queries whose function must know that the applicant has not asked for this read (D89).
 */
export function readAtReturn(client: QueryClient): void {
  for (const query of client.getQueryCache().findAll({ type: 'active', fetchStatus: 'idle' })) {
    const staleMs = query.meta?.staleAtReturnMs
    if (staleMs === undefined || !query.isStaleByTime(staleMs)) continue
    readNow.add(query)
    void query
      .fetch()
      .catch(doNothing)
      .finally(() => readNow.delete(query))
  }
}

/** For a query function: the options of its call. */
export function optionsOfRead({ client, queryKey }: Pick<QueryFunctionContext, 'client' | 'queryKey'>) {
  return { automatic: readNow.has(client.getQueryCache().find({ queryKey }) ?? {}) }
}
