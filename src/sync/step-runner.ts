import { toWire } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import type { DraftAccess } from './draft-access.ts'
import { afterSent, toServerForm } from './merge-draft.ts'
import { isChanged, type Step } from './next-step.ts'
import { prepareSending } from './sending.ts'
import { syncReactionTo } from './sync-reaction.ts'
import { isSameForm } from './merge.ts'
import type { SyncOptions, SyncParts } from './sync-parts.ts'
import type { Sending, ServerForm } from '#store/draft.ts'
import type { ProblemHandler, ReadStep } from './problem-handler.ts'
import type { ServerIds } from './server-ids.ts'

/** Runs one step for one application. Returns whether a further step can run now. */
export type StepRunner = (id: string, step: Step, options: SyncOptions) => Promise<boolean>

type Parts = {
  parts: Pick<SyncParts, 'device' | 'call' | 'session' | 'digestOfForm' | 'onEvent'>
  drafts: DraftAccess
  refreshRequests: Set<string>
  problems: ProblemHandler
  serverIds: ServerIds
}

export function createStepRunner(runnerParts: Parts): StepRunner {
  const { drafts, refreshRequests, problems, serverIds } = runnerParts
  const { device, call, session } = runnerParts.parts
  const send = createSend(runnerParts)

  async function create(id: string, key: string, options: { background: boolean }): Promise<boolean> {
    const tokenBefore = session.token()
    const created = await call('createApplication', {}, { ...options, key })
    if (!created.ok) return problems.handle(id, created.problem, tokenBefore)
    return serverIds.adopt(id, created.value.data)
  }

  async function read(id: string, step: ReadStep, options: { background: boolean }): Promise<boolean> {
    const tokenBefore = session.token()
    // A refresh that is requested during this read needs a newer answer.
    refreshRequests.delete(id)
    const found = await call('readData', { params: { id: toApplicationId(id) } }, options)
    if (found.ok) return problems.mergeFromServer(id, found.value.data, step)
    // Without a valid token nothing was read: the sync reads again when it has a new one.
    if (syncReactionTo(found.problem).kind === 'sign-in') refreshRequests.add(id)
    return problems.handle(id, found.problem, tokenBefore)
  }

  return async (id, step, { announceFailures }) => {
    const options = { background: !announceFailures }
    switch (step.kind) {
      case 'idle':
      case 'wait':
        return false
      case 'prepare': {
        const prepared = await drafts.updateExisting(id, draft =>
          prepareSending(draft, device.randomId(), step.acceptsDrafts),
        )
        return prepared?.draft !== undefined
      }
      case 'create':
        return create(id, step.key, options)
      case 'read':
        return read(id, step, options)
      case 'send':
        return send(id, step.sending, options)
    }
  }
}

type Send = (id: string, sending: Sending, options: { background: boolean }) => Promise<boolean>

/** Sends one write, and decides from the answer what the server has now. */
function createSend({ parts, drafts, problems }: Parts): Send {
  const { device, call, session, onEvent } = parts

  async function send(id: string, sending: Sending, options: { background: boolean }): Promise<boolean> {
    const input = { params: { id: toApplicationId(id) }, body: bodyOf(sending) }
    const tokenBefore = session.token()
    const result = await call('saveData', input, { ...options, key: sending.key })
    if (!result.ok) {
      const hasMore = await problems.handle(id, result.problem, tokenBefore)
      const isRefused = sending.complete && options.background && (await drafts.readExisting(id))?.stuck
      if (isRefused) onEvent({ kind: 'not-accepted', applicationId: id })
      return hasMore
    }
    const { version, epoch, digest } = result.value.data
    const isProven =
      digest !== undefined &&
      version !== undefined &&
      isOfThisWrite(version, sending) &&
      digest === (await parts.digestOfForm(sending.values, version))
    return isProven ? markSent(id, sending, { version, epoch }) : compareWithServer(id, sending, options)
  }

  async function markSent(id: string, sending: Sending, saved: Pick<ServerForm, 'version' | 'epoch'>) {
    const sent = await drafts.updateExisting(id, draft =>
      afterSent(draft, sending, { ...saved, at: device.now() }),
    )
    if (!sent?.draft) return false
    problems.onAccepted(id)
    onEvent({ kind: 'sent', applicationId: id, complete: sending.complete })
    return true
  }

  /** The answer did not prove what the server now has (D61): reads it, and merges what differs. */
  async function compareWithServer(id: string, sending: Sending, options: { background: boolean }) {
    const before = await drafts.readExisting(id)
    // The next applicant, who may have signed in during the digest, has no such draft.
    if (!before) return false
    const found = await call('readData', { params: { id: toApplicationId(id) } }, options)
    if (!found.ok) return problems.handle(id, found.problem)
    const { data } = found.value
    if (isSameForm(toServerForm(data, 0).values, sending.values))
      return markSent(id, sending, { version: data.version, epoch: data.epoch })
    await problems.mergeFromServer(id, data)
    const merged = await drafts.readExisting(id)
    // The server may never store this form as it is, so each further attempt waits longer.
    return merged && isChanged(merged) ? problems.retryLater(id, before.attempts) : true
  }

  return send
}

/**
 * Each write raises the version, so an answer whose version is not higher belongs to an earlier write. A proxy may send
 * such an answer again. Its digest matches too when the applicant has typed the earlier answers again (D61).
 */
function isOfThisWrite(version: number, { baseVersion }: Sending): boolean {
  return baseVersion === undefined || version > baseVersion
}

function bodyOf({ values, complete, baseVersion, additionalData }: Sending) {
  return {
    ...toWire(values),
    additionalData,
    draft: !complete,
    ...(baseVersion !== undefined && { baseVersion }),
  }
}
