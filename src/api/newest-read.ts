import { QueryClient, type QueryFunctionContext, type QueryOptions } from '@tanstack/react-query'

/** The newest read of each query. A read that runs while its query is invalidated is the newest one no longer. */
const newestReads = new WeakMap<object, object>()

/**
 * A query client that remembers which reads ran when their query was invalidated. TanStack Query would take the answer of
 * such a read for a new one, although the server may have made it before the change.
 */
export class PortalQueryClient extends QueryClient {
  override invalidateQueries(...args: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    for (const query of this.getQueryCache().findAll(args[0])) newestReads.delete(query)
    return super.invalidateQueries(...args)
  }
}

/**
 * Reads again when the query was invalidated during the read, so that all callers that wait get an answer from after the
 * change.
 */
export const readNewest: NonNullable<QueryOptions['behavior']> = {
  onFetch(context, query) {
    const read = context.fetchFn
    context.fetchFn = async () => {
      for (;;) {
        newestReads.set(query, {})
        const answer = await read()
        if (newestReads.has(query)) return answer
      }
    }
  },
}

/**
 * For a query function, at its start: returns a check that is true while no newer read is needed or has begun. Only the
 * answer of such a read may replace the one on the device.
 */
export function watchNewest({
  client,
  queryKey,
}: Pick<QueryFunctionContext, 'client' | 'queryKey'>): () => boolean {
  const query = client.getQueryCache().find({ queryKey }) ?? {}
  const ownRead = newestReads.get(query)
  return () => newestReads.get(query) === ownRead
}
