import type { Problem } from '#api/result.ts'
import { toApplicationId } from '#contract/id-text.ts'
import type { LoadedServices } from '#app/services.ts'
import { isLocal } from '#sync/local-id.ts'

export type Listed = readonly { id: string; currentState: string }[]

/** Whether the server's list says that the application is deleted, or does not have it. */
export function isGone(listed: Listed, applicationId: string): boolean {
  return !listed.some(({ id, currentState }) => id === applicationId && currentState !== 'DELETED')
}

export type DeviceServices = Pick<LoadedServices, 'openStore' | 'queries' | 'queryClient' | 'sync'>

/**
 * Removes the draft of an application that the server does not have any more, and what is cached under its id. When the
 * storage fails, the entry in `deletionRequests` stays, and a later read of the list finishes the deletion (LST15).
 * `asked`: `savedAt` of the draft when the applicant asked for the deletion (see `Sync.remove`).
 */
export async function removeFromDevice(
  { openStore, queries, queryClient, sync }: DeviceServices,
  id: string,
  asked?: Parameters<LoadedServices['sync']['remove']>[1],
): Promise<void> {
  // Before `remove`: an answer that the server has sent before the deletion must not appear again while `remove` runs.
  queryClient.removeQueries({ queryKey: queries.keyOf('applicationData', id) })
  const isRemoved = await sync.remove(id, asked)
  if (isRemoved) await (await openStore()).deletionRequests.remove(id)
}

export function isListed(listed: Listed, id: string): boolean {
  return !isLocal(id) && !isGone(listed, id)
}

/**
 * `refused`: the application stays, and the request to delete it ends. `unknown`: it is not certain that it is deleted.
 */
export type DeletionOutcome = 'deleted' | 'refused' | 'unknown'

/**
 * Asks the server to delete the application. If the answer does not say what has become of it, reads the list: an
 * application that is gone there is deleted.
 */
export async function deleteOnServer(
  { call, device, session }: Pick<LoadedServices, 'call' | 'device' | 'session'>,
  id: string,
): Promise<DeletionOutcome> {
  const params = { id: toApplicationId(id) }
  const options = { key: device.randomId(), background: true, outlivesPage: true }
  const applicantId = session.signedInId()
  const deleted = await call('deleteApplication', { params }, options)
  if (deleted.ok) return 'deleted'
  if (isRefusal(deleted.problem)) return 'refused'
  if (applicantId === undefined || session.signedInId() !== applicantId) return 'unknown'
  const list = await call('listApplications', { query: { applicantId } }, { background: true })
  return list.ok && isGone(list.value.data, id) ? 'deleted' : 'unknown'
}

function isRefusal(problem: Problem): boolean {
  return problem.kind === 'refused' && problem.reason !== undefined && problem.reason !== 'not-found'
}
