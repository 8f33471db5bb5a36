import type { FormValues } from '#contract/application.ts'
import { type Draft, newDraft } from './draft.ts'
import type { ReadRow } from './draft-rows.ts'
import type { Replacement } from './replaced-drafts.ts'
import { maxRevisionsPerDraft } from './revision-rows.ts'
import {
  addLate,
  basedOnLateWrite,
  basisOf,
  type DoneWrite,
  type LateWrite,
  type MergeDrafts,
  mergeWithRow,
  restAfterWrite,
  unsavedAfter,
  type UnsavedDraft,
} from './unsaved-draft.ts'

/** What the memory has of one row that the device must still save. */
export type RowMemory = {
  unsaved: UnsavedDraft | undefined
  /** Oldest first. */
  dropped: readonly FormValues[]
  /** Another object after each deletion of the application of which this page learns. */
  deletion: ReadRow | undefined
}

/**
 * The memory of this page for drafts: the drafts that the device could not save, the dropped answers that it could not
 * save as revisions, and the last version of each row that `find` or a write has read. `rowId` identifies a row, as
 * `rowIdOf` in draft-rows.ts returns it.
 */
export type UnsavedDrafts = {
  memoryOf: (rowId: string) => RowMemory
  /** Whether the unsaved draft is still the one of `memory`: another write of this page may have replaced it since. */
  isCurrent: (rowId: string, memory: RowMemory) => boolean
  /**
   * Whether this page has learned of a deletion of the application since it had `memory`: then a write that fails leaves no answers
   * in the memory, because they would mix with those of a new draft of the application (LST13).
   */
  isDeletedSince: (rowId: string, memory: RowMemory) => boolean
  /** Returns the unsaved draft; without one, the draft that was read last. */
  lastKnown: (rowId: string) => Draft | undefined
  /** Whether this page knows that the application is deleted, and has no unsaved draft of it. */
  isKnownDeleted: (rowId: string) => boolean
  /**
   * The id of the last deletion that this page knows; empty when a read found none; undefined after a read of a row,
   * and before any read.
   */
  knownDeletionId: (rowId: string) => string | undefined
  /** Returns the unsaved drafts whose row id starts with `prefix`, each with the rest of its row id. */
  all: (prefix: string) => [string, Draft][]
  /**
   * Returns the rest of each row id that starts with `prefix` and of which something may still have to be saved:
   * `hasUnwritten` says whether it must.
   */
  unwrittenIds: (prefix: string) => string[]
  /** Returns the current draft of a row: stored, unsaved, or both merged (`mergeWithRow`). */
  merge: (rowId: string, row: ReadRow) => Draft | undefined
  setLastRead: (rowId: string, row: ReadRow) => void
  setUnsaved: (rowId: string, unsaved: UnsavedDraft | undefined) => void
  /**
   * Forgets the unsaved draft of `memory` after a write has saved it. When another unsaved draft has replaced it since,
   * `restAfterWrite` says what remains of that one.
   */
  setWritten: (rowId: string, memory: RowMemory, write: DoneWrite) => void
  /** If a late write of this page has written the row, the unsaved draft is from now on based on the row. */
  followLateWrite: (rowId: string, row: ReadRow) => void
  /**
   * Sets the unsaved draft after the storage failed. The new draft is based on the same row as the one it replaces.
   * `late`: see `lateWrites` of `UnsavedDraft`.
   */
  replaceUnsaved: (rowId: string, change: Replacement, late: readonly LateWrite[]) => void
  /** Adds answers that no draft has any more and that the device has not saved: the next write saves them (D63). */
  addDropped: (rowId: string, dropped: readonly FormValues[]) => void
  /** Removes dropped answers that the device has saved. */
  removeDropped: (rowId: string, saved: readonly FormValues[]) => void
  /** Whether the memory has something of this row that the device must still save. */
  hasUnwritten: (rowId: string) => boolean
  /** This or another tab has moved the row: the memory follows, so that its answers merge with the row that exists now. */
  followMove: (rowId: string, movedTo: string) => void
  /**
   * `deletionId`: the id of a deletion of the application. A write of an older form that fails afterwards leaves no answers in the
   * memory (LST13).
   */
  forget: (rowId: string, deletionId?: string) => void
  /** `deletionId`: as in `forget`. */
  forgetRows: (isForgotten: (rowId: string) => boolean, deletionId?: string) => void
  clear: () => void
}

export function createUnsavedDrafts(mergeDrafts: MergeDrafts, onChange: () => void): UnsavedDrafts {
  const unsavedDrafts = new Map<string, UnsavedDraft>()
  const lastRead = new Map<string, ReadRow>()
  const deletions = new Map<string, ReadRow>()
  const droppedAnswers = createDroppedAnswers()

  function setUnsaved(rowId: string, next: UnsavedDraft | undefined) {
    const before = unsavedDrafts.get(rowId)
    if (next) unsavedDrafts.set(rowId, next)
    else unsavedDrafts.delete(rowId)
    if (before?.draft !== next?.draft) onChange()
  }

  const forgetRows = createForgetRows({ unsavedDrafts, lastRead, droppedAnswers, deletions }, onChange)
  const forget: UnsavedDrafts['forget'] = (rowId, deletionId) =>
    forgetRows(each => each === rowId, deletionId)

  return {
    memoryOf: rowId => ({
      unsaved: unsavedDrafts.get(rowId),
      deletion: deletions.get(rowId),
      dropped: droppedAnswers.of(rowId),
    }),
    isCurrent: (rowId, { unsaved }) => unsavedDrafts.get(rowId) === unsaved,
    isDeletedSince: (rowId, { deletion }) => deletions.get(rowId) !== deletion,
    lastKnown: rowId => unsavedDrafts.get(rowId)?.draft ?? lastRead.get(rowId)?.draft,
    isKnownDeleted: rowId => !unsavedDrafts.has(rowId) && Boolean(lastRead.get(rowId)?.deletionId),
    knownDeletionId: rowId => lastRead.get(rowId)?.deletionId,
    ...createLists(unsavedDrafts, droppedAnswers),
    merge: (rowId, row) => mergeWithRow(unsavedDrafts.get(rowId), row, mergeDrafts),
    setLastRead: (rowId, row) => void lastRead.set(rowId, row),
    setUnsaved,
    setWritten: (rowId, { unsaved: written }, write) =>
      setUnsaved(rowId, restAfterWrite(unsavedDrafts.get(rowId), written, write)),
    replaceUnsaved(rowId, change, late) {
      const basis = unsavedDrafts.get(rowId) ?? basisOf(lastRead.get(rowId))
      setUnsaved(rowId, unsavedAfter(basis, change, late))
    },
    followLateWrite(rowId, row) {
      const unsaved = unsavedDrafts.get(rowId)
      if (unsaved) setUnsaved(rowId, basedOnLateWrite(unsaved, row))
    },
    addDropped: droppedAnswers.add,
    removeDropped: droppedAnswers.remove,
    hasUnwritten: rowId => unsavedDrafts.has(rowId) || droppedAnswers.of(rowId).length > 0,
    followMove(rowId, movedTo) {
      const moved = unsavedDrafts.get(rowId)
      droppedAnswers.add(movedTo, droppedAnswers.of(rowId))
      if (moved && unsavedDrafts.has(movedTo)) droppedAnswers.add(movedTo, [moved.draft.values])
      else if (moved) setUnsaved(movedTo, afterMove(moved))
      forget(rowId)
    },
    forget,
    forgetRows,
    clear: () => forgetRows(() => true),
  }
}

type Memory = {
  unsavedDrafts: Map<string, UnsavedDraft>
  lastRead: Map<string, ReadRow>
  /** The last deletion of each application of which this page has learned, also when the row was read again since. */
  deletions: Map<string, ReadRow>
  droppedAnswers: ReturnType<typeof createDroppedAnswers>
}

/** Calls `onChange` once, after all rows are forgotten, if one of them had an unsaved draft. */
function createForgetRows(
  { unsavedDrafts, lastRead, droppedAnswers, deletions }: Memory,
  onChange: () => void,
): UnsavedDrafts['forgetRows'] {
  return (isForgotten, deletionId) => {
    const rowIds = [...unsavedDrafts.keys(), ...lastRead.keys(), ...droppedAnswers.rowIds()]
    let hadUnsaved = false
    for (const rowId of rowIds.filter(isForgotten)) {
      lastRead.delete(rowId)
      if (deletionId) {
        // A row that has a revision and no draft counts as not read (`basisOf`).
        const deletion = { revision: -1, draft: undefined, deletionId }
        lastRead.set(rowId, deletion)
        deletions.set(rowId, deletion)
      }
      droppedAnswers.forget(rowId)
      hadUnsaved = unsavedDrafts.delete(rowId) || hadUnsaved
    }
    if (hadUnsaved) onChange()
  }
}

function createLists(
  unsavedDrafts: ReadonlyMap<string, UnsavedDraft>,
  { rowIds }: Pick<ReturnType<typeof createDroppedAnswers>, 'rowIds'>,
): Pick<UnsavedDrafts, 'all' | 'unwrittenIds'> {
  return {
    all: prefix =>
      [...unsavedDrafts].flatMap(([rowId, { draft }]) =>
        rowId.startsWith(prefix) ? [[rowId.slice(prefix.length), draft] satisfies [string, Draft]] : [],
      ),
    unwrittenIds: prefix =>
      [...new Set([...unsavedDrafts.keys(), ...rowIds()])].flatMap(rowId =>
        rowId.startsWith(prefix) ? [rowId.slice(prefix.length)] : [],
      ),
  }
}

/** The answers of each row that no draft has any more and that the device has not saved, oldest first (D63). */
function createDroppedAnswers() {
  const answers = new Map<string, readonly FormValues[]>()
  const of = (rowId: string) => answers.get(rowId) ?? []

  const add = (rowId: string, dropped: readonly FormValues[]) => {
    if (dropped.length > 0) answers.set(rowId, [...of(rowId), ...dropped].slice(-maxRevisionsPerDraft))
  }

  const remove = (rowId: string, saved: readonly FormValues[]) => {
    const rest = of(rowId).filter(values => !saved.includes(values))
    if (saved.length > 0) answers.set(rowId, rest)
  }

  return {
    of,
    add,
    remove,
    rowIds: () => answers.keys(),
    forget: (rowId: string) => void answers.delete(rowId),
  }
}

/**
 * Returns a new draft with the answers, the tab and the Submit of the moved one. The server's form and the key of the creation
 * are left out, because they belong to the id before the move. The answers count as a late write: if this page moves the row,
 * they are in it before the page learns that the move is done.
 */
function afterMove(moved: UnsavedDraft): UnsavedDraft {
  const { values, tab, savedAt, submitted, faulty } = moved.draft
  const draft = newDraft({ values, tab, savedAt, submitted, faulty })
  return {
    ...moved,
    draft,
    revision: 'unread',
    lateWrites: addLate(moved.lateWrites, [{ revision: undefined, values }]),
  }
}
