import type { AnswerOutput } from '#contract/endpoints.ts'
import { type ResponseCache, cacheKey } from './cached-call.ts'

type List = AnswerOutput<'listApplications'>
export type CreatedApplication = Pick<List['data'][number], 'id' | 'applicationNumber'>

/**
 * Adds an application that the server has just created to the cached list, so that the list and the form are there also
 * when the connection is lost before the next answer. Without a cached list nothing changes.
 */
export async function addToCachedList(
  cache: Pick<ResponseCache, 'read' | 'write'>,
  applicantId: string,
  created: CreatedApplication,
): Promise<void> {
  const key = cacheKey('listApplications', { query: { applicantId } })
  const cached = await cache.read(key)
  if (cached === undefined) return
  // This device has cached an answer that the contract had decoded; each later read decodes it again.
  const list = cached as List
  const others = list.data.filter(({ id }) => id !== created.id)
  const data = [...others, { ...created, currentState: 'NEW', appointment: null }]
  await cache.write(key, { ...list, data }, list.time)
}
