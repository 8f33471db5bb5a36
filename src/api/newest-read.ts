import { type Query, QueryClient, type QueryFunctionContext } from '@tanstack/react-query'

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
 * For a query function: reads again when the query was invalidated during the read, so that all who wait for this read get
 * an answer from after the change. `read` gets a function that says whether no newer read is needed or has begun.
 */
export async function readNewest<Answer>(
  { client, queryKey }: Pick<QueryFunctionContext, 'client' | 'queryKey'>,
  read: (isNewest: () => boolean) => Promise<Answer>,
): Promise<Answer> {
  const query: Partial<Query> = client.getQueryCache().find({ queryKey }) ?? {}
  for (;;) {
    const ownRead = {}
    newestReads.set(query, ownRead)
    const answer = await read(() => newestReads.get(query) === ownRead)
    if (newestReads.has(query)) return answer
  }
}
