import { type ApplicationData, emptyForm, type FormValues } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { SaveResult } from '#store/drafts.ts'
import type { ChangeCause } from '#store/revision-rule.ts'
import { createDraftAccess, type DraftAccess } from './draft-access.ts'
import { afterConfirmed, type ConflictChoice, resolveConflicts, toServerForm } from './merge-draft.ts'
import { markSubmitted } from './sending.ts'
import { mergeScreenForm, type ScreenForm } from './merge-screen-form.ts'
import { isLocal, localId } from './local-id.ts'
import { createProblemHandler } from './problem-handler.ts'
import { createServerIds } from './server-ids.ts'
import { createStepRunner } from './step-runner.ts'
import { inBackground, type SyncOptions, type SyncParts, urgently } from './sync-parts.ts'
import { createSyncLoop, type SyncLoop, syncLockOf } from './sync-loop.ts'
import {
  createSyncStatusSource,
  type ReadOptions,
  type SyncStatus,
  type SyncStatusSource,
} from './sync-status.ts'
import { watchUnsavedAnswers } from './watch-unsaved.ts'
import { createSyncTimers, type SyncTimers } from './sync-timers.ts'
import { watchSyncTriggers } from './sync-triggers.ts'

export type { SyncEvent, SyncParts } from './sync-parts.ts'

/** Sends the drafts of this device to the server. A draft stays on the device, also after the server has accepted it. */
export type Sync = SyncStatusSource & {
  /** Saves the form on the screen, merged with the stored draft, and sends it after a pause in typing. */
  save: (applicationId: string, typed: ScreenForm) => Promise<SaveResult>
  /** Replaces the answers with earlier ones; the current answers become a revision first (D63). */
  restore: (applicationId: string, typed: ScreenForm) => Promise<SaveResult>
  /**
   * Reads the server's copy of a draft that this device has, for example when the form is opened: another device may
   * have changed it, or the server may have been restored from a backup.
   */
  refresh: (applicationId: string) => void
  /** Saves the form, sends it at once as the complete form, and returns the status afterwards. */
  submit: (applicationId: string, typed: ScreenForm) => Promise<SyncStatus>
  /** Applies the applicant's choice. Returns the new draft; undefined when there is none, or the session has ended. */
  resolveConflicts: (applicationId: string, choice: ConflictChoice) => Promise<Draft | undefined>
  /**
   * Saves a new draft, for which a later sync creates the application with this idempotency key (D33). Returns its
   * local id, also when only the memory of this page has the draft; undefined when nothing has it. `applicantId`: the
   * applicant who has started it. If another applicant has signed in while the engine was loading, saves nothing and
   * returns undefined (D31).
   */
  startLocal: (key: string, applicantId?: string) => Promise<ApplicationId | undefined>
  /**
   * Moves a draft whose application the server no longer knows to a new local id. Under this id the sync creates a new
   * application with its answers (D63). Without a draft on this device, moves `given`. Returns the local id; undefined
   * when the draft cannot be moved. `applicantId`: as in `startLocal`. @throws StorageFault
   */
  restart: (applicationId: string, given: Draft, applicantId?: string) => Promise<ApplicationId | undefined>
  /** Sends what is unsent, without the backoff, and returns the status afterwards; undefined when the store does not load. */
  flush: (applicationId: string) => Promise<SyncStatus | undefined>
  /**
   * Removes a draft whose form was confirmed, when the server has sent no version for `saveConfirmed`. Its answers stay as a
   * revision (D63).
   */
  discard: (applicationId: string) => Promise<void>
  /**
   * Replaces the draft with the form that the applicant has confirmed on the server; what was typed since the press stays an
   * unsent change. The draft stays, so that the device can offer these answers when the server is restored from a backup with
   * an older form (D62). `atPress`: the draft's answers at the press; undefined without a draft, or when they are not known.
   */
  saveConfirmed: (
    applicationId: string,
    confirmed: ApplicationData,
    atPress: FormValues | undefined,
  ) => Promise<void>
  /**
   * Deletes a draft with its revisions for good. A form that another tab has open can no longer be saved (LST13). Resolves to
   * false when the storage has failed, so that the device may still have it (D74). `asked.savedAt`: that of the draft when the
   * applicant asked for the deletion. If the draft has another one now, the applicant has typed since: then it deletes
   * nothing and resolves to false.
   */
  remove: (applicationId: string, asked?: { savedAt: number | undefined }) => Promise<boolean>
  /**
   * Waits for a running creation, then removes the draft if it still has its local id. If the draft has moved to the
   * server's id, removes nothing and returns that id. Removes nothing either when the storage has failed.
   */
  removeLocal: (applicationId: string) => Promise<{ id: string; isRemoved: boolean }>
  /** The server's id, once the draft of a local id was moved to it; every other id as it is. */
  resolveId: (applicationId: string) => Promise<string>
  /** Like `resolveId`, but from memory: a move by another tab is known after the next read of the store. */
  serverIdOf: (applicationId: string) => string
}

/** The pause in typing before a draft is sent. */
const typingPauseMs = 2_000

export function createSync(parts: SyncParts): Sync {
  const drafts = createDraftAccess(parts.openDrafts, parts.session)
  const refreshRequests = new Set<string>()
  const onMoved = () => parts.onEvent({ kind: 'moved' })
  const statusSource = createSyncStatusSource({ ...parts, onMoved })
  const timers = createSyncTimers(parts.device, id => void loop.syncOne(id, inBackground))
  const problems = createProblemHandler({ parts, drafts, timers, refreshRequests })
  const serverIds = createServerIds({
    drafts,
    onEvent: parts.onEvent,
    syncNow: id => loop.syncOne(id, urgently),
    retryLater: problems.retryLater,
    setDraft: statusSource.setDraft,
    storedIdOf: statusSource.serverIdOf,
  })
  const runStep = createStepRunner({ parts, drafts, refreshRequests, problems, serverIds })
  const loop = createSyncLoop({ parts, drafts, timers, refreshRequests, runStep })
  const { session, connectivity, device } = parts
  watchUnsavedAnswers({ drafts, statusSource, setOnlyInPage: parts.setOnlyInPage })
  watchSyncTriggers({ session, connectivity, device, syncAll: options => void loop.syncAll(options) })

  async function setDraft(id: string, draft: Draft) {
    statusSource.setDraft(await drafts.resolveId(id), draft)
  }

  /** Tells the forms of the application that are open, in the other tabs and in this one. */
  function onRemoved(applicationId: string) {
    device.broadcast({ kind: 'deleted', form: applicationId })
    parts.onEvent({ kind: 'removed', applicationId })
  }

  async function readStatus(id: string, options?: ReadOptions): Promise<SyncStatus> {
    const opened = await drafts.openIfPossible()
    return opened ? statusSource.read(await opened.resolveId(id), options) : { kind: 'not-saved' }
  }

  return {
    ...statusSource,
    status: id => statusSource.status(serverIds.serverIdOf(id)),
    read: readStatus,
    refresh(id) {
      refreshRequests.add(id)
      void loop.syncOne(id, urgently)
    },
    async resolveId(id) {
      const currentId = await drafts.resolveId(id)
      // A guard opens the form under this id at once: the form must know that it is the same application.
      if (currentId !== id) serverIds.learn(id, currentId)
      return currentId
    },
    serverIdOf: serverIds.serverIdOf,
    ...createCommands({ drafts, timers, loop, readStatus, statusSource, setDraft, device, onRemoved }),
  }
}

type CommandParts = {
  drafts: DraftAccess
  timers: SyncTimers
  loop: SyncLoop
  readStatus: (id: string) => Promise<SyncStatus>
  statusSource: Pick<SyncStatusSource, 'readAgain'>
  /** Shows the status of a changed draft before the store reports the change. */
  setDraft: (id: string, draft: Draft) => Promise<void>
  device: Pick<SyncParts['device'], 'now' | 'randomId' | 'withLock'>
  onRemoved: (applicationId: string) => void
}

type Command =
  | 'save'
  | 'restore'
  | 'remove'
  | 'removeLocal'
  | 'submit'
  | 'resolveConflicts'
  | 'startLocal'
  | 'restart'
  | 'flush'
  | 'discard'
  | 'saveConfirmed'

function causeOf({ lastKnown, values, applicantId }: ScreenForm): ChangeCause {
  return { kind: 'typed', lastKnown, formValues: values, applicantId }
}

/** What the applicant does with a draft. */
function createCommands({
  drafts,
  timers,
  loop,
  readStatus,
  statusSource,
  setDraft,
  device,
  onRemoved,
}: CommandParts): Pick<Sync, Command> {
  async function flush(id: string, options: SyncOptions): Promise<SyncStatus | undefined> {
    if (!(await drafts.openIfPossible())) return undefined
    await loop.syncOne(await drafts.resolveId(id), options)
    const status = await readStatus(id)
    // A form takes the answers from this status: the list must not call them sent because it knows older ones.
    if ('draft' in status && status.draft) await setDraft(id, status.draft)
    // The store may have changed since this read.
    statusSource.readAgain()
    return status
  }

  async function saveTyped(id: string, typed: ScreenForm, cause: ChangeCause): Promise<SaveResult> {
    const saved = await drafts.update(id, draft => mergeScreenForm(draft, typed), cause)
    if (saved.draft) await setDraft(id, saved.draft)
    // A draft that the device cannot save is sent too, so that the server has a copy.
    if (saved.kind === 'saved' || saved.draft) timers.set(id, typingPauseMs)
    return saved
  }

  return {
    save: (id, typed) => saveTyped(id, typed, causeOf(typed)),
    restore: (id, typed) => saveTyped(id, typed, { kind: 'restored', applicantId: typed.applicantId }),
    async submit(id, typed) {
      const saved = await drafts.update(
        id,
        draft => markSubmitted(mergeScreenForm(draft, typed)),
        causeOf(typed),
      )
      if (saved.kind === 'not-saved' && !saved.draft) return { kind: 'not-saved' }
      return (await flush(id, { urgent: true, announceFailures: true })) ?? { kind: 'not-saved' }
    },
    async resolveConflicts(id, choice) {
      const saved = await drafts.updateExisting(id, draft => resolveConflicts(draft, choice))
      if (saved?.draft) await setDraft(id, saved.draft)
      void loop.syncOne(await drafts.resolveId(id), urgently)
      return saved?.draft
    },
    async startLocal(key, applicantId) {
      const id = localId(device.randomId())
      const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key } })
      const saved = await drafts.update(id, () => draft, { kind: 'other', applicantId })
      // A draft that the device cannot save is sent too, so the application has started.
      return saved.draft && id
    },
    restart: createRestart({ drafts, device }),
    flush: id => flush(id, urgently),
    ...createRemovals({ drafts, device, onRemoved }),
  }
}

function createRestart({ drafts, device }: Pick<CommandParts, 'drafts' | 'device'>): Sync['restart'] {
  /** A second press that reads the old draft after the first has moved it would start another application. */
  const running = new Map<string, ReturnType<Sync['restart']>>()

  async function start(applicationId: string, given: Draft, applicantId: string | undefined) {
    const id = localId(device.randomId())
    const create = { key: device.randomId() }
    const opened = await drafts.openIfPossible()
    await opened?.update(applicationId, draft => draft ?? given, { kind: 'other', applicantId })
    const restarted = ({ values, tab, savedAt }: Draft) => newDraft({ values, tab, savedAt, create })
    // The server may know the old application again: later changes under the old id must stay there.
    await opened?.move(applicationId, id, restarted, { isForwarding: false })
    return (await opened?.read(id)) && id
  }

  return (applicationId, given, applicantId) => {
    const starting =
      running.get(applicationId) ??
      start(applicationId, given, applicantId).finally(() => running.delete(applicationId))
    running.set(applicationId, starting)
    return starting
  }
}

type RemovalParts = Pick<CommandParts, 'drafts' | 'device' | 'onRemoved'>

function createRemovals({
  drafts,
  device,
  onRemoved,
}: RemovalParts): Pick<Sync, 'discard' | 'saveConfirmed' | 'remove' | 'removeLocal'> {
  async function remove(id: string, asked?: { savedAt: number | undefined }): Promise<boolean> {
    const change = (draft: Draft | undefined) =>
      asked && draft?.savedAt !== asked.savedAt ? draft : undefined
    const saved = await drafts.update(id, change, { kind: 'deleted' })
    if (saved.draft) return false
    const isRemoved = saved.kind !== 'not-saved' || (await hasNone(id))
    // When a local draft cannot be deleted, it stays, and its form stays open.
    if (isRemoved || !isLocal(id)) onRemoved(await drafts.resolveId(id))
    return isRemoved
  }

  /** A browser that has never let this page read its storage has no draft either. */
  async function hasNone(id: string): Promise<boolean> {
    const found = await (await drafts.openIfPossible())?.find(id)
    return found === undefined || (found.draft === undefined && found.fault === undefined)
  }

  return {
    discard: async id => void (await drafts.update(id, () => undefined, { kind: 'discarded' })),
    async saveConfirmed(id, confirmed, atPress) {
      const form = toServerForm(confirmed, device.now())
      await drafts.update(id, draft => afterConfirmed(draft, form, atPress))
    },
    remove,
    async removeLocal(id) {
      let isRemoved = false
      await device.withLock(syncLockOf(id), async () => {
        if (isLocal(await drafts.resolveId(id))) isRemoved = await remove(id)
      })
      return { id: await drafts.resolveId(id), isRemoved }
    },
  }
}
