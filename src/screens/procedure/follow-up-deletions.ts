import type { LoadedServices } from '#app/services.ts'
import { isLocal } from '#sync/local-id.ts'
import {
  type DeviceServices,
  isGone,
  isListed,
  type Listed,
  removeFromDevice,
} from './requested-deletions.ts'

/**
 * Finishes the deletions whose answer this device never got (LST15). `listed`: the list that the server has just sent.
 * Without a request of the applicant, or when the applicant has typed since, the answers stay. `hasEnded`: whether
 * the session of the list has ended: the answers on the device may then be those of the next applicant.
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

type FollowUpServices = DeviceServices & Pick<LoadedServices, 'call' | 'device' | 'notices'>

/**
 * Says once that the server still has applications that the applicant has deleted on an earlier page (LST18). Finishes
 * the deletions that have happened since. A later page follows up when no question gets an answer, and when
 * the session ends, because the list of one applicant must not decide about the drafts of the next one.
 */
export async function followUpDeletions(
  services: FollowUpServices,
  applicantId: string,
  hasEnded: () => boolean,
): Promise<void> {
  for (const delayMs of followUpDelaysMs) {
    await new Promise<void>(resolve => void services.device.after(delayMs, resolve))
    if (hasEnded()) return
    const answer = await services.call('listApplications', { query: { applicantId } }, { background: true })
    if (hasEnded()) return
    if (answer.ok) return showFailedDeletions(services, answer.value.data, hasEnded)
    if (answer.problem.kind === 'refused') return
  }
}

async function showFailedDeletions(
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
