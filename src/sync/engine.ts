import { ApplicationData, emptyForm, type FormValues, toWire } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'
import { type Draft, newDraft, type Sending } from '#store/draft.ts'
import type { Change, Drafts, SaveResult } from '#store/drafts.ts'
import {
  afterMoved,
  afterSent,
  dropSending,
  markStuck,
  mergeTyped,
  mergeServerData,
  nextStep,
  replaceWithServerForm,
  prepareSending,
  scheduleRetry,
  syncReactionTo,
  resolveConflicts,
  type Step,
  markSubmitted,
  toServerForm,
  type TypedForm,
} from './draft-reducer.ts'
import type { Connectivity } from './connectivity.ts'
import { isLocal, localId } from './local-id.ts'
import { createSyncStatusSource, type SyncStatus, type SyncStatusSource } from './sync-status.ts'

export type SyncEvent =
  /** An application that was started without the line now exists. */
  | { kind: 'created'; localId: string; applicationId: ApplicationId; applicationNumber: string }
  | { kind: 'sent'; applicationId: string; complete: boolean }
  /** A Submit that waited here has come to the server, which does not take it (S89). */
  | { kind: 'not-taken'; applicationId: string }
  /** The server's copy has won over what was typed here (S93). */
  | { kind: 'overruled'; applicationId: string }

export type SyncParts = {
  device: Pick<Device, 'now' | 'after' | 'withLock' | 'randomId' | 'onPageVisible'>
  /** From 0 up to 1. */
  random: () => number
  openDrafts: () => Promise<Drafts>
  call: Call
  session: Pick<Session, 'state' | 'subscribe'>
  connectivity: Pick<Connectivity, 'isUnreachable' | 'subscribe'>
  /** Whether the server takes incomplete forms; undefined while nobody knows. */
  acceptsDrafts: () => Promise<boolean | undefined>
  onEvent: (event: SyncEvent) => void
}

/** Carries local work to the server. Nothing leaves the device before the server has said yes. */
export type Sync = SyncStatusSource & {
  /** Keeps what is on the screen; gives the draft as it is kept, with what came from the server meanwhile. */
  save: (applicationId: string, typed: TypedForm) => Promise<SaveResult>
  /** The form is opened: another device may have gone on with it. */
  refresh: (applicationId: string) => void
  submit: (applicationId: string, typed: TypedForm) => Promise<SyncStatus>
  resolveConflicts: (applicationId: string, picked: FormValues) => Promise<void>
  /** Starts an application without the line, under the key of its creation; gives its local id (D33). */
  startLocal: (key: string) => Promise<ApplicationId | undefined>
  /** Sends what there is now, and settles when it is known what became of it; undefined where nobody can say. */
  flush: (applicationId: string) => Promise<SyncStatus | undefined>
  discard: (applicationId: string) => Promise<void>
  /** Where an application goes on that was started under a local id. */
  resolveId: (applicationId: string) => Promise<string>
  /** The local id under which an open form was started; its own id otherwise. */
  localIdOf: (applicationId: ApplicationId) => ApplicationId
}

/** Typing pauses for so long before anything is sent. */
const typingPauseMs = 2_000

type SyncOptions = {
  /** Somebody waits, or the line is back: no backing off. */
  urgent: boolean
  /** The applicant asked for it, and is told of what fails (S29). */
  announceFailures: boolean
}

export function createSync(parts: SyncParts): Sync {
  const { device, call } = parts
  const refreshRequests = new Set<string>()
  const localIds = new Map<string, ApplicationId>()
  /** The other way round: what is open under its local id is found under the server's. */
  const serverIds = new Map<string, string>()
  const timers = new Map<string, () => void>()
  const statusSource = createSyncStatusSource(parts)

  async function resolveId(id: string): Promise<string> {
    return isLocal(id) ? (await parts.openDrafts()).resolveId(id) : id
  }

  async function update(id: string, change: Change): Promise<SaveResult> {
    const drafts = await parts.openDrafts().catch(() => undefined) // no store in this browser: whoever typed is told
    return drafts
      ? drafts.update(await resolveId(id), change)
      : { kind: 'not-kept', reason: 'refused', draft: undefined }
  }

  const change = (id: string, to: (draft: Draft) => Draft) => update(id, draft => draft && to(draft))

  /** One tab at a time carries one application, and goes on until nothing is left that can be done now. */
  async function syncWithServer(id: string, options: SyncOptions): Promise<void> {
    await device.withLock(`carry ${id}`, async () => {
      while (parts.session.state().kind === 'signed-in') {
        const currentId = await resolveId(id)
        if (currentId !== id) return syncWithServer(currentId, options)
        const step = await findStep(id, options)
        if (step.kind === 'rest') return
        if (step.kind === 'wait') return setTimer(id, step.until - device.now())
        if (!(await runStep(id, step, options))) return
      }
    })
  }

  async function findStep(id: string, { urgent }: SyncOptions): Promise<Step> {
    const drafts = await parts.openDrafts()
    return nextStep(await drafts.read(id), {
      now: device.now(),
      urgent,
      refresh: refreshRequests.has(id),
      acceptsDrafts: (await parts.acceptsDrafts()) === true,
    })
  }

  /** Whether there is more to do at once. */
  async function runStep(id: string, step: Step, { announceFailures }: SyncOptions): Promise<boolean> {
    const options = { background: !announceFailures }
    switch (step.kind) {
      case 'rest':
      case 'wait':
        return false
      case 'prepare':
        await change(id, draft => prepareSending(draft, device.randomId()))
        return true
      case 'create': {
        const created = await call('createApplication', {}, { ...options, key: step.key })
        return created.ok ? adoptServerId(id, created.value.data) : handleProblem(id, created.problem)
      }
      case 'read': {
        const found = await call('readData', { params: { id: toApplicationId(id) } }, options)
        refreshRequests.delete(id)
        return found.ok ? mergeFromServer(id, found.value.data) : handleProblem(id, found.problem)
      }
      case 'send':
        return send(id, step.sending, options)
    }
  }

  async function send(id: string, sending: Sending, options: { background: boolean }): Promise<boolean> {
    const result = await call(
      'saveData',
      { params: { id: toApplicationId(id) }, body: bodyOf(sending) },
      { ...options, key: sending.key },
    )
    if (!result.ok) {
      const hasMore = await handleProblem(id, result.problem)
      if (sending.complete && options.background) await emitIfStuck(id)
      return hasMore
    }
    const answer = { version: result.value.data.version, at: device.now() }
    await change(id, draft => afterSent(draft, sending, answer))
    parts.onEvent({ kind: 'sent', applicationId: id, complete: sending.complete })
    return true
  }

  /** What was started here goes on under the id the server gave; it may have had an open form all along. */
  async function adoptServerId(
    startedAs: string,
    { id, applicationNumber }: { id: ApplicationId; applicationNumber: string },
  ): Promise<boolean> {
    const drafts = await parts.openDrafts()
    if ((await drafts.move(startedAs, id, afterMoved)) === 'taken') {
      await syncWithServer(id, { urgent: true, announceFailures: false })
      if ((await drafts.move(startedAs, id, afterMoved)) === 'taken') return retryLater(startedAs)
    }
    localIds.set(id, toApplicationId(startedAs))
    serverIds.set(startedAs, id)
    parts.onEvent({ kind: 'created', localId: startedAs, applicationId: id, applicationNumber })
    return true
  }

  async function mergeFromServer(id: string, data: ApplicationData): Promise<boolean> {
    let overruled = false
    await change(id, draft => {
      const merged = mergeServerData(draft, data, device.now())
      overruled = merged.overruled
      return merged.draft
    })
    if (overruled) parts.onEvent({ kind: 'overruled', applicationId: id })
    return true
  }

  async function handleProblem(id: string, problem: Problem): Promise<boolean> {
    const reaction = syncReactionTo(problem)
    switch (reaction.kind) {
      case 'again':
        return retryLater(id)
      case 'sign-in':
        return false
      case 'refused':
      case 'gone':
      case 'not-allowed':
        await change(id, draft => markStuck(draft, reaction))
        return false
      case 'new-key':
        await change(id, dropSending)
        return true
      case 'moved-on':
        return acceptServerForm(id)
      case 'stale': {
        const newer = ApplicationData.safeParse(reaction.data)
        if (newer.success && newer.data.version !== undefined) return mergeFromServer(id, newer.data)
        await change(id, dropSending)
        refreshRequests.add(id)
        return retryLater(id)
      }
    }
  }

  async function emitIfStuck(id: string) {
    if ((await read(id)).kind === 'stuck') parts.onEvent({ kind: 'not-taken', applicationId: id })
  }

  async function acceptServerForm(id: string): Promise<boolean> {
    const found = await call('readData', { params: { id: toApplicationId(id) } }, { background: true })
    if (!found.ok) return retryLater(id)
    await change(id, draft => replaceWithServerForm(draft, toServerForm(found.value.data, device.now())))
    parts.onEvent({ kind: 'overruled', applicationId: id })
    return false
  }

  async function retryLater(id: string): Promise<false> {
    const saved = await change(id, draft =>
      scheduleRetry(draft, { now: device.now(), random: parts.random() }),
    )
    if (saved.draft) setTimer(id, saved.draft.notBefore - device.now())
    return false
  }

  function setTimer(id: string, milliseconds: number) {
    timers.get(id)?.()
    const run = () =>
      void (id === allApplications
        ? syncAll(false)
        : syncWithServer(id, { urgent: false, announceFailures: false }))
    timers.set(id, device.after(Math.max(0, milliseconds), run))
  }

  async function syncAll(urgent: boolean) {
    if (parts.session.state().kind !== 'signed-in') return
    const drafts = await parts.openDrafts().catch(() => undefined)
    const waiting = (await drafts?.all()) ?? []
    await Promise.all(
      waiting.map(each => syncWithServer(each.applicationId, { urgent, announceFailures: false })),
    )
  }

  async function flush(id: string, options: SyncOptions): Promise<SyncStatus | undefined> {
    const hasStore = await parts.openDrafts().then(returnTrue, returnFalse)
    if (!hasStore) return undefined
    await syncWithServer(await resolveId(id), options)
    return read(id)
  }

  async function read(id: string): Promise<SyncStatus> {
    const drafts = await parts.openDrafts().catch(() => undefined)
    return drafts ? statusSource.read(await drafts.resolveId(id)) : { kind: 'not-kept' }
  }

  // It may come when somebody has signed in already.
  void syncAll(true)
  parts.session.subscribe(() => void syncAll(true))
  parts.connectivity.subscribe(() => void (parts.connectivity.isUnreachable() || syncAll(true)))
  device.onPageVisible(() => void syncAll(true))

  return {
    subscribe: statusSource.subscribe,
    status: id => statusSource.status(serverIds.get(id) ?? id),
    list: statusSource.list,
    read,
    async save(id, typed) {
      const saved = await update(id, draft => mergeTyped(draft, typed))
      // What the device cannot keep, the server's copy does.
      if (saved.kind === 'kept' || saved.draft) setTimer(allApplications, typingPauseMs)
      return saved
    },
    refresh(id) {
      refreshRequests.add(id)
      void syncWithServer(id, { urgent: true, announceFailures: false })
    },
    async submit(id, typed) {
      const saved = await update(id, draft => markSubmitted(mergeTyped(draft, typed)))
      if (saved.kind === 'not-kept' && !saved.draft) return { kind: 'not-kept' }
      return (await flush(id, { urgent: true, announceFailures: true })) ?? { kind: 'not-kept' }
    },
    async resolveConflicts(id, picked) {
      await change(id, draft => resolveConflicts(draft, picked))
      void syncWithServer(await resolveId(id), { urgent: true, announceFailures: false })
    },
    async startLocal(key) {
      const id = localId(device.randomId())
      const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key } })
      return (await update(id, () => draft)).kind === 'kept' ? id : undefined
    },
    flush: id => flush(id, { urgent: true, announceFailures: false }),
    discard: async id => void (await update(id, () => undefined)),
    resolveId,
    localIdOf: id => localIds.get(id) ?? id,
  }
}

const returnTrue = () => true
const returnFalse = () => false

/** The timer that looks at every application. */
const allApplications = ''

function bodyOf({ values, complete, baseVersion, additionalData }: Sending) {
  return {
    ...toWire(values),
    additionalData,
    draft: !complete,
    ...(baseVersion !== undefined && { baseVersion }),
  }
}
