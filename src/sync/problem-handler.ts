import { ApplicationData } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { isOpen } from '#contract/states.ts'
import { askedDelayMs, type Problem } from '#api/result.ts'
import type { Stuck } from '#store/draft.ts'
import type { DraftAccess } from './draft-access.ts'
import { dropSending, isSendingOutdated } from './sending.ts'
import { isOvertaken, mergeServerData } from './merge-draft.ts'
import { markStuck, syncReactionTo } from './sync-reaction.ts'
import { scheduleRetry } from './backoff.ts'
import type { Step } from './next-step.ts'
import type { SyncParts } from './sync-parts.ts'
import type { SyncTimers } from './sync-timers.ts'

/**
 * Each function that returns a boolean returns whether a further step can run now: never without a draft, for example when
 * the storage does not give it.
 */
export type ProblemHandler = {
  /** `tokenBefore`: the token with which the call began. */
  handle: (id: string, problem: Problem, tokenBefore?: string) => Promise<boolean>
  /** `read`: the step that has read `data`. Ignores `data` that is overtaken (`isOvertaken`), and requests a new read. */
  mergeFromServer: (id: string, data: ApplicationData, read?: ReadStep) => Promise<boolean>
  /** The server has accepted a write of this application. */
  onAccepted: (id: string) => void
  /**
   * Increases the backoff and sets the timer of the application. `attemptsBefore`: the number of failed attempts in a row,
   * when a merge has reset it in the draft. `minDelayMs`: the service asked for this pause.
   */
  retryLater: (id: string, attemptsBefore?: number, minDelayMs?: number) => Promise<false>
}

export type ReadStep = Extract<Step, { kind: 'read' }>

type Parts = {
  parts: SyncParts
  drafts: DraftAccess
  timers: SyncTimers
  /** Applications whose server copy is read before the next write. */
  refreshRequests: Set<string>
}

export function createProblemHandler({ parts, drafts, timers, refreshRequests }: Parts): ProblemHandler {
  const { device, call } = parts
  const retryLater = createRetry({ parts, drafts, timers })
  const stopSending = createStop(drafts)
  const mergeFromServer = createMerge({ parts, drafts, stopSending, refreshRequests })
  const takeNewKey = createNewKey({ device, drafts })
  const sendNewerOrRetry = createHold(drafts, retryLater)
  const baselessRefusals = createBaselessRefusals(retryLater)
  const mergeStale = createStaleMerge({ drafts, refreshRequests, mergeFromServer, baselessRefusals })

  async function acceptServerForm(id: string): Promise<boolean> {
    const found = await call('readData', { params: { id: toApplicationId(id) } }, { background: true })
    if (!found.ok) return retryLater(id)
    const { data } = found.value
    await mergeFromServer(id, data)
    // The form may be open: perhaps the server was restored from a backup since it refused the write (D62).
    return isOpen(data.currentState ?? 'NEW') && baselessRefusals.retry(id)
  }

  async function handle(id: string, problem: Problem, tokenBefore?: string): Promise<boolean> {
    const reaction = syncReactionTo(problem)
    switch (reaction.kind) {
      case 'retry':
        return retryLater(id, 0, askedDelayMs(problem))
      case 'held-by-order':
        return sendNewerOrRetry(id)
      case 'sign-in':
        // If the token has changed, a new one was refused too: without a pause the sync would repeat the call with each one.
        return parts.session.token() === tokenBefore ? false : retryLater(id)
      case 'refused':
      case 'gone':
      case 'not-allowed':
        return stopSending(id, reaction)
      case 'new-key':
        await takeNewKey(id)
        return retryLater(id)
      case 'wrong-state':
        return acceptServerForm(id)
      case 'stale':
        return mergeStale(id, reaction.data)
    }
  }

  return { handle, mergeFromServer, retryLater, onAccepted: baselessRefusals.forget }
}

/**
 * Counts the refusals of each application whose reason the server does not confirm: it has refused a write for a newer
 * form but sends none, or for a closed form that is open. The merge with the server's form resets the backoff of the
 * draft, so that without this count the sync would repeat the write without a pause.
 */
function createBaselessRefusals(retryLater: ProblemHandler['retryLater']) {
  const counts = new Map<string, number>()
  return {
    retry(id: string): Promise<false> {
      const before = counts.get(id) ?? 0
      counts.set(id, before + 1)
      return retryLater(id, before)
    },
    forget: (id: string) => void counts.delete(id),
  }
}

type StaleParts = Pick<Parts, 'drafts' | 'refreshRequests'> &
  Pick<ProblemHandler, 'mergeFromServer'> & { baselessRefusals: ReturnType<typeof createBaselessRefusals> }

/** The server has refused the write because it has a newer form, which is `data`; without it, the form is read. */
function createStaleMerge({ drafts, refreshRequests, mergeFromServer, baselessRefusals }: StaleParts) {
  return async (id: string, data: unknown): Promise<boolean> => {
    const newer = readVersionedData(data)
    if (!newer) {
      await drafts.updateExisting(id, dropSending)
      refreshRequests.add(id)
      return baselessRefusals.retry(id)
    }
    const known = await (await drafts.openIfPossible())?.read(id)
    const hasMore = await mergeFromServer(id, newer)
    return known?.base?.version === newer.version ? baselessRefusals.retry(id) : hasMore
  }
}

type StopSending = (id: string, stuck: Stuck) => Promise<false>

/** The answers stay on this device (D63), and none of them is sent. */
function createStop(drafts: DraftAccess): StopSending {
  return async (id, stuck) => {
    await drafts.updateExisting(id, draft => markStuck(draft, stuck))
    return false
  }
}

type MergeParts = Pick<Parts, 'parts' | 'drafts' | 'refreshRequests'> & { stopSending: StopSending }

function createMerge({ parts: { device, onEvent }, drafts, stopSending, refreshRequests }: MergeParts) {
  return async (id: string, data: ApplicationData, read?: ReadStep): Promise<boolean> => {
    // The server's copy of a deleted application is empty, and must not replace the answers of this device (D63).
    if (data.currentState === 'DELETED') return stopSending(id, { kind: 'gone' })
    let merged: ReturnType<typeof mergeServerData> | undefined
    const saved = await drafts.updateExisting(id, draft => {
      merged =
        read && isOvertaken(draft, data, read.base) ? undefined : mergeServerData(draft, data, device.now())
      return merged?.draft ?? draft
    })
    if (!saved?.draft) return false
    if (!merged) refreshRequests.add(id)
    if (merged?.isReplaced) onEvent({ kind: 'replaced', applicationId: id })
    if (merged?.isLostByServer) onEvent({ kind: 'lost-by-server', applicationId: id })
    return true
  }
}

/**
 * An open order has stopped the write (D14). The same write must not be repeated: the answers may be complete by the next
 * attempt, and the payment may close the form before that. Sends newer answers at once.
 */
function createHold(drafts: DraftAccess, retryLater: ProblemHandler['retryLater']) {
  return async (id: string): Promise<boolean> => {
    let hasNewer = false
    await drafts.updateExisting(id, draft => {
      hasNewer = isSendingOutdated(draft)
      return { ...dropSending(draft), heldByOrder: true }
    })
    return hasNewer || retryLater(id)
  }
}

/** The server returns the open application for any key, so a creation under a new key has no second effect. */
function createNewKey({ device, drafts }: { device: SyncParts['device']; drafts: DraftAccess }) {
  return async (id: string): Promise<void> => {
    const key = device.randomId()
    await drafts.updateExisting(id, stored =>
      stored.create ? { ...stored, create: { key } } : dropSending(stored),
    )
  }
}

function createRetry({ parts, drafts, timers }: Pick<Parts, 'parts' | 'drafts' | 'timers'>) {
  const { device, random } = parts
  return async (id: string, attemptsBefore = 0, minDelayMs = 0): Promise<false> => {
    const saved = await drafts.updateExisting(id, draft =>
      scheduleRetry(
        { ...draft, attempts: Math.max(draft.attempts, attemptsBefore) },
        { now: device.now(), random: random(), minDelayMs },
      ),
    )
    if (saved?.draft) timers.set(id, saved.draft.notBefore - device.now())
    return false
  }
}

/** The server's form in a conflict response; undefined when the response has none, or none with a version. */
function readVersionedData(data: unknown): ApplicationData | undefined {
  const read = ApplicationData.safeParse(data)
  return read.success && read.data.version !== undefined ? read.data : undefined
}
