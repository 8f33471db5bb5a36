import { fieldNames, type ApplicationData } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { refreshAfterRestore } from '#app/refresh-after-restore.ts'
import { requireSynced } from '#app/require-synced.ts'
import { deleteOnServer } from '#screens/procedure/requested-deletions.ts'
import { isLocal } from '#sync/local-id.ts'
import type { DeletionOutcome } from './deletions.ts'
import { ownedValue } from './owned-values.ts'
import type { Step } from './story.ts'
import type { Tab } from './tab.ts'
import type { World } from './world.ts'

type Confirm = Extract<Step, { kind: 'confirm' }>

/**
 * The applicant leaves the form, reads the data of the server on the screen before the payment, and confirms them, as
 * `useConfirm` does.
 */
export async function confirm(world: World, tab: Tab, startedAs: string | undefined, step: Confirm) {
  await tab.closeForm()
  if (startedAs === undefined) return
  const id = await tab.sync.resolveId(startedAs)
  if (isLocal(id)) return
  const found = await tab.call('readData', { params: { id: toApplicationId(id) } })
  if (!found.ok) return
  const shown = found.value.data
  await tab.guard(world.clock.sleep(step.firstPressAfterMs))
  const key = tab.phone.nextId()
  for (let press = 0; press < step.presses; press += 1) {
    if (await pressConfirm(world, tab, { id, shown, key, step, isFirst: press === 0 })) return
    await tab.guard(world.clock.sleep(5_000))
  }
}

type Press = { id: string; shown: ApplicationData; key: string; step: Confirm; isFirst: boolean }

/** Resolves to whether the applicant need not press again. */
async function pressConfirm(world: World, tab: Tab, { id, shown, key, step, isFirst }: Press) {
  const { clock, trail } = world
  const { sync, phone, device } = tab
  const account = tab.account()
  const appId = toApplicationId(id)
  const status = sync.status(id)
  const atPress = 'draft' in status ? status.draft.values : undefined
  const isOlder = await refreshAfterRestore({ sync }, appId, shown)
  const parts = {
    sync,
    device,
    connectivity: { probeIfNeeded: async () => true, isUnreachable: () => false },
    navigation: { pathname: () => 'confirm', watchLeaving: () => () => false },
    // The check knows a second press by this object. It is new, so each press counts as the first one, which never confirms
    // while the device cannot read its draft (D74).
    notices: { raise: () => undefined },
    session: { watchEnd: () => () => !tab.isSignedIn() },
    serverInfo: { readAny: async () => ({ epoch: account?.server.epoch() }) },
  } as unknown as Parameters<typeof requireSynced>[0] // the gate uses no more of them
  if (!(await requireSynced(parts, appId, { isOlder }))) return false
  const { version: baseVersion, additionalData } = shown
  const form = Object.fromEntries(fieldNames.map(name => [name, shown[name]]))
  const body = { ...form, additionalData, draft: false, baseVersion }
  if (isFirst && step.typedAtPress) actAtPress(world, step.typedAtPress, id)
  if (isFirst && step.isFirstAnswerLost) phone.nextLineFaults.unshift('no answer')
  const result = await tab.call('confirmData', { params: { id: appId }, body }, { key })
  // The applicant opens the screen again after a refusal.
  if (!result.ok) return result.problem.kind === 'refused' && result.problem.status !== 401
  await tab.guard(clock.sleep(step.answerLateMs))
  // What a page gets after the end of its session reaches no draft (D31).
  if (!tab.isSignedIn() || tab.account() !== account) return true
  const { version, epoch } = result.value.data
  trail(`${tab.name}: version ${version} of ${id} is confirmed`)
  await sync.saveConfirmed(id, { ...shown, version, epoch }, atPress)
  return true
}

/**
 * The server may answer the other tab with the form as it was before the confirmation, and the answer may arrive only after
 * this tab has saved the confirmed form (D62).
 */
function actAtPress(
  world: World,
  { tab: name, field, value }: NonNullable<Confirm['typedAtPress']>,
  id: string,
) {
  const tab = world.findOpenTab(name)
  const account = tab?.account()
  if (!account) return
  tab?.sync.refresh(id)
  tab?.form()?.type(field, ownedValue(account.applicant.applicantId, field, value))
}

/**
 * The applicant deletes an application in the list, as `deleteApplication` of the list does after the time to undo,
 * but without its check `hasJoinedAnother`.
 */
export async function deleteApplication({ trail }: World, tab: Tab, startedAs: string | undefined) {
  await tab.closeForm()
  const account = tab.account()
  if (startedAs === undefined || !account) return
  const { sync } = tab
  const { oracle } = account
  // As `watchApplicant` does: the list of the next applicant says nothing of this application.
  const isForeign = () => tab.isSignedIn() && tab.account() !== account
  const known = await sync.resolveId(startedAs)
  const end = oracle.deletions.begin(tab, known)
  const local = isLocal(known) ? await tab.guard(sync.removeLocal(known)) : { id: known, isRemoved: false }
  let outcome: DeletionOutcome = isLocal(known) && !local.isRemoved ? 'failed' : 'kept'
  if (local.isRemoved) outcome = 'removed'
  else if (!isLocal(local.id)) {
    const session = {
      signedInId: () => (tab.isSignedIn() ? tab.account()?.applicant.applicantId : undefined),
    }
    const services = { call: tab.call, device: tab.device, session } as unknown as Parameters<
      typeof deleteOnServer
    >[0]
    const answer = await deleteOnServer(services, local.id)
    trail(`${tab.name}: the deletion of ${local.id} is ${answer}`)
    if (answer === 'deleted' && !isForeign())
      outcome = (await tab.guard(sync.remove(local.id))) ? 'removed' : 'failed'
    else outcome = 'kept'
  }
  end(outcome)
  trail(`${tab.name}: the application ${local.id} is ${outcome}`)
}
