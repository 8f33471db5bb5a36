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
 * Finishes the deletions whose response this device never got (LST15). `listed`: the list that the server has just sent.
 * Keeps the answers of an application that the applicant has not asked to delete, or has typed into since. `hasEnded`:
 * whether the session of the list has ended: the answers on the device may then be those of the next applicant.
 */
export async function finishRequestedDeletions(
  services: DeviceServices,
  listed: Listed,
  hasEnded: () => boolean,
): Promise<void> {
  const { deletionRequests } = await services.openStore()
  for (const { id, savedAt } of await deletionRequests.unchanged())
    if (!hasEnded() && !isLocal(id) && isGone(listed, id)) await removeFromDevice(services, id, { savedAt })
}

/**
 * Delay before each request for the list. In the first delay a deletion that the earlier page sent while it closed
 * reaches the server, and the time to undo in another tab (10 s) ends, unless it is paused there (LST12).
 */
const followUpDelaysMs = [15_000, 30_000, 60_000, 120_000, 240_000]

type FollowUpServices = DeviceServices & Pick<LoadedServices, 'call' | 'device' | 'notices'>

/**
 * Tells the applicant once that the server still has applications whose deletion an earlier page or another tab has
 * requested (LST18). Finishes the deletions that have succeeded since. When no request gets the list, or the session
 * ends, a later page tries again: the list of one applicant must not decide about the drafts of the next one.
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
