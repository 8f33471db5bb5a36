import { inFlightReason, type Problem } from '#api/result.ts'
import { toApplicationId } from '#contract/id-text.ts'
import type { LoadedServices } from '#app/services.ts'
import { isLocal } from '#sync/local-id.ts'

type Listed = readonly { id: string; currentState: string }[]

/** Whether an answer of the server says that it has deleted the application, or does not know it. */
export function isGone(listed: Listed, applicationId: string): boolean {
  return !listed.some(({ id, currentState }) => id === applicationId && currentState !== 'DELETED')
}

type DeviceServices = Pick<LoadedServices, 'openStore' | 'queryClient' | 'sync'>

/** Removes everything that this device has of an application that the server does not have any more. */
export async function removeFromDevice(
  { openStore, queryClient, sync }: DeviceServices,
  id: string,
): Promise<void> {
  await sync.remove(id)
  queryClient.removeQueries({ queryKey: ['application-data', id] })
  await (await openStore()).deletionRequests.remove(id)
}

/**
 * Finishes the deletions whose answer this device never got (LST15). `listed`: an answer that the server has just given.
 * Without a request of the applicant, or when the applicant has typed since, the answers stay. So do those of the next
 * applicant, when the session of the answer has ended.
 */
export async function finishRequestedDeletions(
  services: DeviceServices,
  listed: Listed,
  hasEnded: () => boolean,
): Promise<void> {
  const { deletionRequests } = await services.openStore()
  for (const id of await deletionRequests.unchangedIds())
    if (!hasEnded() && !isLocal(id) && isGone(listed, id)) await removeFromDevice(services, id)
}

/**
 * Pauses before the questions to the server about the deletions of an earlier page. In the first pause, a request that the
 * earlier page has sent at its end arrives, and Undo in another tab ends.
 */
const followUpDelaysMs = [15_000, 30_000, 60_000, 120_000, 240_000]

type FollowUpServices = DeviceServices & Pick<LoadedServices, 'call' | 'device' | 'notices' | 'session'>

/**
 * Says once that the server still has applications that the applicant has deleted on an earlier page (LST18). Finishes
 * the deletions that have happened since. When no question gets an answer or the session ends, a later page follows up: the
 * list of one applicant must not decide about the drafts of the next one.
 */
export async function followUpDeletions(services: FollowUpServices, applicantId: string): Promise<void> {
  const hasEnded = services.session.watchEnd()
  for (const delayMs of followUpDelaysMs) {
    await new Promise<void>(resolve => void services.device.after(delayMs, resolve))
    if (hasEnded()) return
    const answer = await services.call('listApplications', { query: { applicantId } }, { background: true })
    if (hasEnded()) return
    if (answer.ok) return tellFailedDeletions(services, answer.value.data, hasEnded)
    if (answer.problem.kind === 'refused') return
  }
}

async function tellFailedDeletions(
  services: FollowUpServices,
  listed: Listed,
  hasEnded: () => boolean,
): Promise<void> {
  await finishRequestedDeletions(services, listed, hasEnded)
  const { deletionRequests } = await services.openStore()
  const failed = (await deletionRequests.idsOfEarlierPages()).filter(id => isListed(listed, id))
  if (hasEnded()) return
  for (const id of failed) await deletionRequests.remove(id)
  if (failed.length > 0) services.notices.raise('warning', { key: 'procedure.notDeleted' })
}

export function isListed(listed: Listed, id: string): boolean {
  return !isLocal(id) && !isGone(listed, id)
}

/** `refused`: the service itself has said that the application stays. `unknown`: no answer says what it has done. */
export type DeletionOutcome = 'deleted' | 'refused' | 'unknown'

/** Asks the server to delete the application. The list decides when the answer of the deletion is lost. */
export async function deleteOnServer(
  { call, device, session }: Pick<LoadedServices, 'call' | 'device' | 'session'>,
  id: string,
): Promise<DeletionOutcome> {
  const params = { id: toApplicationId(id) }
  const options = { key: device.randomId(), background: true, outlivesPage: true }
  const deleted = await call('deleteApplication', { params }, options)
  if (deleted.ok) return 'deleted'
  if (isRefusal(deleted.problem)) return 'refused'
  const state = session.state()
  if (state.kind === 'signed-out') return 'unknown'
  const { applicantId } = state.claims
  const list = await call('listApplications', { query: { applicantId } }, { background: true })
  return list.ok && isGone(list.value.data, id) ? 'deleted' : 'unknown'
}

function isRefusal(problem: Problem): boolean {
  if (problem.kind !== 'refused' || problem.reason === undefined) return false
  return problem.reason !== 'not-found' && problem.reason !== inFlightReason
}
