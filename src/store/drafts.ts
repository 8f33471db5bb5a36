import { Dexie, type ObservabilitySet } from 'dexie'
import type { Device } from '#device/device.ts'
import { createListeners } from '#device/observable.ts'
import type { ApplicantKey } from './applicant-key.ts'
import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { type Draft, newDraft } from './draft.ts'
import { type CurrentDraft, type DraftContext, readCurrent } from './draft-context.ts'
import { createReads } from './draft-reads.ts'
import { createDraftRevisions } from './draft-revisions.ts'
import { createDraftRows, rowIdOf } from './draft-rows.ts'
import { droppedAnswers, replacementsOf } from './replaced-drafts.ts'
import { type Revision, revisionsOfUnreadable } from './revision-rows.ts'
import type { ChangeCause } from './revision-rule.ts'
import { type SaveFailureReason, StorageFault } from './storage-fault.ts'
import { addLate, type MergeDrafts, ownPartsOf } from './unsaved-draft.ts'
import { createUnsavedDrafts, type UnsavedDrafts } from './unsaved-drafts.ts'
import { type Change, type SaveResult, updateDraft } from './update-draft.ts'
import type { WriteGuard } from './write-guard.ts'

export type { MergeDrafts } from './unsaved-draft.ts'
export type { Change, SaveResult } from './update-draft.ts'

/**
 * Why the draft that this device may have cannot be read now (D74). `unreadable`: its row cannot be decrypted, or this
 * page has no `ApplicantKey`. A browser that has never allowed this page to read its storage has no drafts, so that is
 * no fault.
 */
export type ReadFault = Exclude<SaveFailureReason, 'refused'> | 'unreadable'

/** The draft of one application. With a fault `draft` is what the memory of this page has, and the device may have more. */
export type FoundDraft = { draft: Draft | undefined; fault?: ReadFault | undefined }

/** With a fault the list may lack drafts. */
export type FoundDrafts = { found: ({ applicationId: string } & FoundDraft)[]; fault?: ReadFault | undefined }

/** The drafts of the signed-in applicant. Drafts of other applicants cannot be decrypted. */
export type Drafts = {
  /** Follows a move: the draft may have the server's id since the caller read its id. */
  find(applicationId: string): Promise<FoundDraft>
  findAll(): Promise<FoundDrafts>
  /** The draft of `find`. It is undefined also when it cannot be read, so undefined does not mean that there is none. */
  read(applicationId: string): Promise<Draft | undefined>
  /** The drafts of `findAll` that can be read. */
  all(): Promise<{ applicationId: string; draft: Draft }[]>
  /**
   * Changes a draft atomically: if another tab wrote first, runs `change` again on the newer draft. Saves the answers
   * that the change drops as a revision, in the same transaction; `cause` decides which (D63).
   */
  update(applicationId: string, change: Change, cause?: ChangeCause): Promise<SaveResult>
  /**
   * Moves a draft to another id: one that was started offline to the server's id, or the draft of an application that
   * is started again to a new local id. `to` merges it with the draft that exists there, or returns undefined to
   * refuse: then the result is `taken`. `absent`: this page finds no draft to move, because another tab has moved or
   * deleted it, it cannot be decrypted, or its applicant has signed out. `isForwarding`: whether later writes under the
   * old id go to the new one; true by default.
   * @throws StorageFault
   */
  move(
    localId: string,
    applicationId: string,
    to: (draft: Draft, existing: Draft | undefined) => Draft | undefined,
    options?: { isForwarding: boolean },
  ): Promise<MoveResult>
  /** The id after a move; the same id when the draft was not moved, or the storage fails. */
  resolveId(applicationId: string): Promise<string>
  /** The server's ids of the drafts that were moved, by their local ids; undefined when they cannot be read. */
  moves(): Promise<ReadonlyMap<string, string> | undefined>
  /** The applications whose newest answers the device could not save: this page has them in memory, the server may too. */
  unsavedIds(): string[]
  /** Calls `listener` after every change, in this tab or another. Returns the function that stops it. */
  watch(listener: () => void): () => void
}

export type MoveResult = 'moved' | 'taken' | 'absent'

export type DraftParts = {
  database: Database
  mergeDrafts: MergeDrafts
  runOnDatabase: DatabaseRunner
  applicantKey: () => Promise<ApplicantKey | undefined>
  mayWrite: WriteGuard['mayWrite']
  now: () => number
  device: Pick<Device, 'onBroadcast'>
}

/** Beside the drafts: their revisions, and what the store does with the memory of this page. */
type DraftStore = Drafts & {
  /** The earlier answers of a draft that can be decrypted, oldest first. @throws StorageFault */
  revisions: (applicationId: string) => Promise<Revision[]>
  /**
   * The newest earlier answers that can be decrypted, of each application without a draft, as drafts: those of a
   * confirmed form, for example.
   * @throws StorageFault
   */
  withoutDraft: () => Promise<{ applicationId: string; draft: Draft }[]>
  /**
   * Drops the decrypted drafts, and the times of revisions, that this page has in memory. `keepsUnsaved` keeps the
   * answers that the device could not save, and the last version of each row that `find` or a write has read.
   */
  clearMemory: (options: { keepsUnsaved: boolean }) => void
  /** Drops what other applicants could not save, and the last version of their rows that `find` or a write has read. */
  forgetOtherApplicants: (applicantId: string) => void
  /** Calls the listeners: the drafts that this page has read may be incomplete. */
  emitChange: () => void
}

export function createDrafts(parts: DraftParts): DraftStore {
  const { database, applicantKey, mayWrite, now } = parts
  const { subscribe, emit } = createListeners(() => {
    Dexie.on('storagemutated', emitIfAffected)
    return () => Dexie.on.storagemutated.unsubscribe(emitIfAffected)
  })
  function emitIfAffected(changed: ObservabilitySet) {
    if (affectsDrafts(database, changed)) emit()
  }
  const rows = createDraftRows(parts)
  const unsaved = createUnsavedDrafts(parts.mergeDrafts, emit)
  // Only this stops a save when another tab deletes an application without a row and the mark has no room (LST13).
  parts.device.onBroadcast(message => {
    // The message does not contain the id of the deletion: until the next read, `deleted` is used in its place.
    if (message.kind === 'deleted')
      unsaved.forgetRows(rowId => rowId.endsWith(`/${message.form}`), message.kind)
  })
  const revisions = createDraftRevisions(parts)
  const context: DraftContext = {
    rows,
    unsaved,
    revisions,
    applicantKey,
    mayWrite,
    now,
    runningWrites: new Map(),
  }

  const { forget: forgetReads, ...reads } = createReads(context)

  return {
    ...reads,
    update: (applicationId, change, cause = { kind: 'other' }) =>
      updateDraft(context, { applicationId, change, cause }),
    async revisions(applicationId) {
      const reader = await applicantKey()
      return reader ? revisions.read(reader, applicationId) : []
    },
    async withoutDraft() {
      const reader = await applicantKey()
      const found = reader ? await revisions.readWithoutDraft(reader) : []
      return found.map(({ applicationId, revision: { values, at } }) => ({
        applicationId,
        draft: newDraft({ values, tab: 'GeneralData', savedAt: at }),
      }))
    },
    move: (localId, applicationId, to, { isForwarding } = { isForwarding: true }) =>
      moveDraft(context, { localId, applicationId, to, isForwarding }),
    unsavedIds: () => unsaved.all('').map(([rowId]) => rowId.slice(rowId.indexOf('/') + 1)),
    watch: subscribe,
    emitChange: emit,
    forgetOtherApplicants: applicantId => unsaved.forgetRows(rowId => !rowId.startsWith(`${applicantId}/`)),
    clearMemory({ keepsUnsaved }) {
      if (!keepsUnsaved) unsaved.clear()
      rows.clearCache()
      forgetReads()
      revisions.clearMemory()
    },
  }
}

type MoveRequest = {
  localId: string
  applicationId: string
  to: (draft: Draft, existing: Draft | undefined) => Draft | undefined
  isForwarding: boolean
}

async function moveDraft(
  context: DraftContext,
  { localId, applicationId, to, isForwarding }: MoveRequest,
): Promise<MoveResult> {
  const { rows, unsaved, revisions } = context
  for (;;) {
    const mover = await context.applicantKey()
    const local = mover && (await readCurrent(context, mover, localId))
    if (!mover || !local?.draft || !context.mayWrite(mover.applicantId)) return 'absent'
    const target = await readCurrent(context, mover, applicationId)
    const moved = to(local.draft, target.draft)
    if (!moved) return 'taken'
    const next = await rows.encrypt(mover, applicationId, moved)
    const dropped = [...local.memory.dropped, ...target.memory.dropped]
    const replacements = [target, local].flatMap(current =>
      replacementsOf(current, { after: moved, cause: { kind: 'other' } }),
    )
    const kept = revisionsOfUnreadable(target.row.unreadable)
    // This ciphertext stays encrypted for the local id, like the revisions that move with the draft.
    for (const each of revisionsOfUnreadable(local.row.unreadable))
      kept.push({ ...each, applicationId, sealedAs: localId })
    kept.push(...(await revisions.prepare(mover, applicationId, { dropped, replacements })))
    const [localRevision, targetRevision] = [local.row.revision, target.row.revision]
    const rowMove = { localId, localRevision, targetRevision, isForwarding, next, revisions: kept }
    const [localRowId, targetRowId] = [rowIdOf(mover, localId), rowIdOf(mover, applicationId)]
    const written = await rows.move(mover, rowMove).catch((error: unknown) => {
      addLateMove(unsaved, targetRowId, error, target)
      addLateMove(unsaved, localRowId, error, local)
      throw error
    })
    if (written === 'outdated') continue
    forgetWritten(unsaved, targetRowId, target)
    forgetWritten(unsaved, localRowId, local)
    // The device has saved the row without its revisions.
    if (written === 'written-alone')
      unsaved.addDropped(targetRowId, [...dropped, ...droppedAnswers(replacements, context.now())])
    // A write of this page that ran beside the move could not save these answers.
    if (unsaved.hasUnwritten(localRowId)) unsaved.followMove(localRowId, targetRowId)
    return 'moved'
  }
}

/**
 * Adds a failed move to the late writes of an unsaved draft, except on a full disk: the browser may have done it, or
 * may still do it.
 */
function addLateMove(unsaved: UnsavedDrafts, rowId: string, error: unknown, before: CurrentDraft): void {
  const { unsaved: current } = unsaved.memoryOf(rowId)
  const { draft } = before
  if (!current || !draft || !(error instanceof StorageFault) || error.reason === 'full') return
  const late = ownPartsOf([{ revision: undefined, values: draft.values }], before)
  unsaved.setUnsaved(rowId, { ...current, lateWrites: addLate(current.lateWrites, late) })
}

/** Forgets what the memory has of the row, except what came after the read of `memory`. `draft`: row and memory, merged. */
function forgetWritten(unsaved: UnsavedDrafts, rowId: string, { row, memory, draft }: CurrentDraft): void {
  unsaved.setWritten(rowId, memory, { revision: row.revision, before: draft })
  unsaved.removeDropped(rowId, memory.dropped)
  if (!unsaved.hasUnwritten(rowId)) unsaved.forget(rowId)
}

/**
 * Whether drafts were written or the applicant has changed, in this tab or another. Dexie names a change
 * `idb://database/table/index`.
 */
function affectsDrafts(database: Database, changed: ObservabilitySet): boolean {
  const prefixes = [database.drafts, database.keys].map(table => `idb://${database.name}/${table.name}/`)
  return Object.keys(changed).some(key => key === 'all' || prefixes.some(prefix => key.startsWith(prefix)))
}
