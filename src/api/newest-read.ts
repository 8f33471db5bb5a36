import { QueryClient, type QueryFunctionContext, type QueryOptions } from '@tanstack/react-query'

/** The newest read of each query. A read that runs while its query is invalidated or removed is no longer the newest one. */
const newestReads = new WeakMap<object, object>()

/**
 * A query client that forgets the newest read of a query when the query is invalidated or removed. TanStack Query would take
 * the answer of a read that ran during an invalidation for a new one, although the server may have made it before the change.
 * The answer about an application that was deleted during the read must not come back to the device (LST11).
 */
export class PortalQueryClient extends QueryClient {
  override invalidateQueries(...args: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    this.#forgetReads(args[0])
    return super.invalidateQueries(...args)
  }

  override removeQueries(...args: Parameters<QueryClient['removeQueries']>): void {
    this.#forgetReads(args[0])
    super.removeQueries(...args)
  }

  #forgetReads(filters: Parameters<QueryClient['removeQueries']>[0]) {
    for (const query of this.getQueryCache().findAll(filters)) newestReads.delete(query)
  }
}

/**
 * Reads again when the query was invalidated during the read, so that all callers that wait get an answer from after the
 * change. A removed query is not read again: its application is deleted, or its session has ended.
 */
export const readNewest: NonNullable<QueryOptions['behavior']> = {
  onFetch(context, query) {
    const read = context.fetchFn
    context.fetchFn = async () => {
      for (;;) {
        newestReads.set(query, {})
        const answer = await read()
        const isRemoved = context.client.getQueryCache().get(query.queryHash) !== query
        if (isRemoved || newestReads.has(query)) return answer
      }
    }
  },
}

/**
 * For a query function, at its start: returns a check that is true while no newer read is needed or has begun. Only while the
 * check is true, the answer of this query function may replace the one on the device.
 */
export function watchNewest({
  client,
  queryKey,
}: Pick<QueryFunctionContext, 'client' | 'queryKey'>): () => boolean {
  const query = client.getQueryCache().find({ queryKey }) ?? {}
  const ownRead = newestReads.get(query)
  return () => newestReads.get(query) === ownRead
}
