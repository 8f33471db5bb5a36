import type { AnswerOutput } from '#contract/endpoints.ts'
import { hasLostStep, isOpen } from '#contract/states.ts'
import { type AnswerCache, readCachedAnswer } from './cached-call.ts'

type Listed = AnswerOutput<'listApplications'>['data'][number]
type Attempt = AnswerOutput<'listPaymentAttempts'>['data'][number]

/**
 * A payment or a booking that this device has seen, and that a server which was restored from a backup no longer knows (D62).
 * `orders`: the order numbers of the payments. Without `application`, the device knows only these numbers.
 */
export type LostStep = {
  id: string
  application?: Pick<Listed, 'applicationNumber' | 'currentState' | 'appointment'>
  isPaymentLost: boolean
  orders: string[]
}

type Cache = Pick<AnswerCache, 'read' | 'write'>
type Lists = { before: readonly Listed[]; after: readonly Listed[]; today: string }

const cacheName = 'lost-steps'

export async function readLostSteps(cache: Pick<Cache, 'read'>): Promise<LostStep[]> {
  // Only this file writes it.
  return ((await cache.read(cacheName)) as LostStep[] | undefined) ?? []
}

/** Removes a lost step, after the applicant has confirmed to have noted it. */
export async function forgetLostStep(cache: Cache, id: string): Promise<void> {
  await cache.write(
    cacheName,
    (await readLostSteps(cache)).filter(step => step.id !== id),
  )
}

/**
 * Compares the cached list with the server's new one. Saves each lost step, and removes it when the server knows it again.
 * Returns whether the saved steps have changed.
 */
export async function rememberLostSteps(cache: Cache, { before, after, today }: Lists): Promise<boolean> {
  const known = await readLostSteps(cache)
  const stateOf = (id: string) => after.find(each => each.id === id)?.currentState
  const kept = known.filter(step => isStillLost(step, stateOf(step.id)))
  const found = before.filter(
    each => hasLostStep(each.currentState, stateOf(each.id)) && !hasReachedDeletionDate(each, today),
  )
  const added = found.filter(each => !kept.some(({ id, application }) => id === each.id && application))
  if (added.length === 0 && kept.length === known.length) return false
  const steps = await Promise.all(added.map(each => lostStepOf(cache, each, stateOf(each.id))))
  const others = kept.filter(({ id }) => !steps.some(step => step.id === id))
  await cache.write(cacheName, [...others, ...steps])
  return true
}

/** Saves the open and paid payments that the server no longer lists. Returns whether it has saved any. */
export async function rememberLostOrders(
  cache: Cache,
  id: string,
  { before, after }: { before: readonly Attempt[]; after: readonly Attempt[] },
): Promise<boolean> {
  const lost = openOrPaid(before).filter(each => !after.some(attempt => attempt.id === each.id))
  const known = await readLostSteps(cache)
  if (lost.length === 0 || known.some(step => step.id === id)) return false
  await cache.write(cacheName, [...known, { id, isPaymentLost: true, orders: numbersOf(lost) }])
  return true
}

function isStillLost({ application }: LostStep, state: string | undefined): boolean {
  if (application) return hasLostStep(application.currentState, state)
  return state === undefined || isOpen(state)
}

/** Then the server has deleted the application by its rule, so no step was lost (D40). */
function hasReachedDeletionDate({ deletionDate }: Listed, today: string): boolean {
  return typeof deletionDate === 'string' && deletionDate <= today
}

async function lostStepOf(cache: Cache, listed: Listed, state: string | undefined): Promise<LostStep> {
  const { id, applicationNumber, currentState, appointment } = listed
  const attempts = await readCachedAnswer(cache, 'listPaymentAttempts', { params: { id } })
  const isPaymentLost = state === undefined || isOpen(state)
  const orders = isPaymentLost ? numbersOf(openOrPaid(attempts?.data ?? [])) : []
  return { id, application: { applicationNumber, currentState, appointment }, isPaymentLost, orders }
}

function openOrPaid(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ state }) => state === 'SUCCESS' || state === 'IN_PROGRESS')
}

const numbersOf = (attempts: readonly Attempt[]) => attempts.map(({ orderNumber }) => orderNumber)
