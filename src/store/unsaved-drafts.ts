import { emptyForm, type FieldName, type FormValues } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import { type Draft, newDraft, type ServerForm } from './draft.ts'
import type { ReadRow } from './draft-rows.ts'
import { maxRevisionsPerDraft } from './revision-rows.ts'

/**
 * Three-way merge of a draft: `stored` with `typed.values`, which the applicant typed on top of `typed.lastKnown`, an
 * earlier version of the stored draft. The caller provides this function, because the store does not know the form.
 */
export type MergeDrafts = (
  stored: Draft,
  typed: { values: FormValues; tab: string; lastKnown: Draft },
) => Draft

type UnsavedDraft = {
  draft: Draft
  /**
   * `revision` of the row on which the draft is based, as this page has read it. Undefined without a row, `unread` when the
   * draft of the row is not known.
   */
  revision: number | undefined | 'unread'
  /** The draft in that row. */
  from: Draft | undefined
  /** The last writes that failed, except on a full disk: the browser may have done them, or may still do them. Oldest first. */
  lateWrites?: readonly LateWrite[] | undefined
  /**
   * Without a row: the last deletion of the application before this draft, as when a restored server lists it again; empty
   * without one. Undefined when it is not known.
   */
  deletion?: string | undefined
}

/**
 * The revision and the answers of a failed write that the browser may have done, or may still do. A move has no revision here,
 * because it may have merged these answers with others; nor has a write that took some from the row (`ownPartsOf`).
 */
export type LateWrite = { revision: number | undefined; values: FormValues }

/** What the memory has of one row that the device must still save. */
export type RowMemory = {
  unsaved: UnsavedDraft | undefined
  /** Oldest first. */
  dropped: readonly FormValues[]
}

/**
 * The memory of this page for drafts: the drafts that the device could not save, the dropped answers that it could not save
 * as revisions, and the last version of each row that this page has read. `rowId` identifies a row, as `rowIdOf` in
 * draft-rows.ts returns it.
 */
export type UnsavedDrafts = {
  memoryOf: (rowId: string) => RowMemory
  /** Whether the unsaved draft is still the one of `memory`: another write of this page may have failed since. */
  isCurrent: (rowId: string, memory: RowMemory) => boolean
  /** Returns the unsaved draft; without one, the draft that was read last. */
  lastKnown: (rowId: string) => Draft | undefined
  /** Whether the last read found that the application is deleted, and nothing was typed since. */
  isKnownDeleted: (rowId: string) => boolean
  /** Returns the unsaved drafts whose row id starts with `prefix`, each with the rest of its row id. */
  all: (prefix: string) => [string, Draft][]
  /** Returns the rest of each row id that starts with `prefix` and of which something must still be saved. */
  unwrittenIds: (prefix: string) => string[]
  /** Returns the current draft of a row: stored, unsaved, or both merged when another tab has changed the row. */
  merge: (rowId: string, row: ReadRow) => Draft | undefined
  setLastRead: (rowId: string, row: ReadRow) => void
  setUnsaved: (rowId: string, unsaved: UnsavedDraft | undefined) => void
  /**
   * A write of this page has replaced the row and the unsaved draft of `memory`, which it had merged (`merged`). Forgets that
   * draft. What has changed in one that has taken its place since is based on `merged`: an answer typed back must not look like
   * an unchanged one.
   */
  setWritten: (rowId: string, memory: RowMemory, merged: Draft | undefined) => void
  /**
   * Sets the unsaved draft after the storage failed. The new draft is based on the same row as the one it replaces.
   * `late`: see `lateWrites`.
   */
  replaceUnsaved: (rowId: string, draft: Draft | undefined, late: readonly LateWrite[]) => void
  /** Adds answers that no draft has any more and that the device has not saved: the next write saves them (D63). */
  addDropped: (rowId: string, dropped: readonly FormValues[]) => void
  /** Removes dropped answers that the device has saved. */
  removeDropped: (rowId: string, saved: readonly FormValues[]) => void
  /** Whether the memory has something of this row that the device must still save. */
  hasUnwritten: (rowId: string) => boolean
  /** This or another tab has moved the row: the memory follows, so that its answers merge with the row that exists now. */
  followMove: (rowId: string, movedTo: string) => void
  forget: (rowId: string) => void
  /** Forgets every row whose id does not start with `prefix`. */
  forgetRowsWithoutPrefix: (prefix: string) => void
  clear: () => void
}

export function createUnsavedDrafts(mergeDrafts: MergeDrafts, onChange: () => void): UnsavedDrafts {
  const unsavedDrafts = new Map<string, UnsavedDraft>()
  const lastRead = new Map<string, ReadRow>()
  const droppedAnswers = createDroppedAnswers()

  function setUnsaved(rowId: string, next: UnsavedDraft | undefined) {
    const before = unsavedDrafts.get(rowId)
    if (next) unsavedDrafts.set(rowId, next)
    else unsavedDrafts.delete(rowId)
    if (before?.draft !== next?.draft) onChange()
  }

  function forget(rowId: string) {
    lastRead.delete(rowId)
    droppedAnswers.forget(rowId)
    setUnsaved(rowId, undefined)
  }

  return {
    memoryOf: rowId => ({ unsaved: unsavedDrafts.get(rowId), dropped: droppedAnswers.of(rowId) }),
    isCurrent: (rowId, { unsaved }) => unsavedDrafts.get(rowId) === unsaved,
    lastKnown: rowId => unsavedDrafts.get(rowId)?.draft ?? lastRead.get(rowId)?.draft,
    isKnownDeleted: rowId => !unsavedDrafts.has(rowId) && Boolean(lastRead.get(rowId)?.deletion),
    ...createLists(unsavedDrafts, droppedAnswers),
    merge: (rowId, row) => mergeWithRow(unsavedDrafts.get(rowId), row, mergeDrafts),
    setLastRead: (rowId, row) => void lastRead.set(rowId, row),
    setUnsaved,
    setWritten: (rowId, { unsaved: written }, merged) =>
      setUnsaved(rowId, restAfterWrite(unsavedDrafts.get(rowId), written, merged)),
    replaceUnsaved(rowId, draft, late) {
      const before = unsavedDrafts.get(rowId)
      const lateWrites = addLate(before, late)
      const basis = before ?? basisOf(lastRead.get(rowId))
      setUnsaved(rowId, draft && { ...basis, draft, lateWrites })
    },
    addDropped: droppedAnswers.add,
    removeDropped: droppedAnswers.remove,
    hasUnwritten: rowId => unsavedDrafts.has(rowId) || droppedAnswers.of(rowId).length > 0,
    followMove(rowId, movedTo) {
      const moved = unsavedDrafts.get(rowId)
      droppedAnswers.add(movedTo, droppedAnswers.of(rowId))
      if (moved && unsavedDrafts.has(movedTo)) droppedAnswers.add(movedTo, [moved.draft.values])
      else if (moved) setUnsaved(movedTo, { ...moved, draft: answersOf(moved.draft), revision: 'unread' })
      forget(rowId)
    },
    forget,
    forgetRowsWithoutPrefix(prefix) {
      const rowIds = [...unsavedDrafts.keys(), ...lastRead.keys(), ...droppedAnswers.rowIds()]
      for (const rowId of rowIds) if (!rowId.startsWith(prefix)) forget(rowId)
    },
    clear() {
      const hadAny = unsavedDrafts.size > 0
      unsavedDrafts.clear()
      lastRead.clear()
      droppedAnswers.clear()
      if (hadAny) onChange()
    },
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

/** On which row an unsaved draft is based. A row that could not be read or decrypted may have other answers. */
export function basisOf(row: ReadRow | undefined): Pick<UnsavedDraft, 'revision' | 'from' | 'deletion'> {
  const isUnread = !row || (row.revision !== undefined && row.draft === undefined)
  if (isUnread) return { revision: 'unread', from: undefined }
  return { revision: row.revision, from: row.draft, deletion: row.deletion }
}

/**
 * Without a draft of the memory in the write, `current` is based on the row that the write has read. `merged` also has what
 * other tabs have saved, which `current` does not have: only what has changed in the memory since `written` is based on it.
 */
function restAfterWrite(
  current: UnsavedDraft | undefined,
  written: UnsavedDraft | undefined,
  merged: Draft | undefined,
): UnsavedDraft | undefined {
  if (!current || current === written) return undefined
  if (!written) return current
  const { draft } = current
  const unchanged = fieldGroups.filter(fields => haveSameAnswers(draft.values, written.draft.values, fields))
  const from = merged && { ...merged, values: copyFields(unchanged.flat(), draft.values, merged.values) }
  return { draft, from, revision: 'unread' }
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
    clear: () => answers.clear(),
  }
}

/**
 * A new draft with these answers, and their Submit: the server's form and the key of the creation are of the id before the
 * move.
 */
function answersOf({ values, tab, savedAt, submitted, faulty }: Draft): Draft {
  return newDraft({ values, tab, savedAt, submitted, faulty })
}

/** Returns the unsaved draft; merged with the row when another tab has changed the row, so that no answer is lost. */
function mergeWithRow(
  unsaved: UnsavedDraft | undefined,
  row: ReadRow,
  mergeDrafts: MergeDrafts,
): Draft | undefined {
  if (!unsaved) return row.draft
  const { draft } = unsaved
  if (!row.draft || isBasedOn(row, unsaved)) return draft
  const late = lateFields(unsaved, row.draft)
  const known = lastKnownOf(unsaved)
  const lastKnown = { ...known, values: copyFields(late, row.draft.values, known.values) }
  const isLater = draft.savedAt >= row.draft.savedAt
  const knownBase = unsaved.from?.base
  const winning = winningAnswers(draft, { row: row.draft, lastKnown, knownBase, isLater })
  const values = copyFields(late, draft.values, winning)
  const typed = { values, tab: isLater ? draft.tab : row.draft.tab, lastKnown }
  const savedAt = Math.max(draft.savedAt, row.draft.savedAt)
  const merged = { ...mergeDrafts(row.draft, typed), savedAt }
  // Another page may have sent this Submit from the row of a late write, and the server may have accepted or refused it.
  const isAnswered = merged.delivered || merged.stuck
  return draft.submitted && !unsaved.from?.submitted && !isAnswered ? withSubmit(merged, draft) : merged
}

/**
 * Whether the draft is known to be older than this deletion of its application, of which the device now has a mark: the page
 * had read a row or, without a row, no mark or that of an earlier deletion.
 */
export function isBeforeDeletion({ from, deletion }: UnsavedDraft, marked: string | undefined): boolean {
  return from !== undefined || (deletion !== undefined && deletion !== marked)
}

function isBasedOn({ revision }: ReadRow, { revision: known, lateWrites = [] }: UnsavedDraft): boolean {
  return revision === known || lateWrites.some(late => late.revision === revision)
}

/**
 * The fields in which the row has the answers of a late write, and the memory of this page has newer ones. Compares the
 * answers, because another page may have written the row again since: then the row has another revision.
 */
function lateFields({ draft, from, lateWrites = [] }: UnsavedDraft, row: Draft): FieldName[] {
  return fieldGroups
    .filter(
      fields =>
        !haveSameAnswers(row.values, draft.values, fields) &&
        !(from && haveSameAnswers(row.values, from.values, fields)) &&
        lateWrites.some(({ values }) => haveSameAnswers(values, row.values, fields)),
    )
    .flat()
}

/** Returns the late writes of the draft with further ones. Only the last ones stay, because each has a whole form. */
export function addLate(
  unsaved: Pick<UnsavedDraft, 'lateWrites'> | undefined,
  late: readonly LateWrite[],
): readonly LateWrite[] {
  return [...(unsaved?.lateWrites ?? []), ...late].slice(-maxRevisionsPerDraft)
}

/**
 * The unsaved draft, if the browser may still do its late writes: once another write has replaced the row on which it is based,
 * their answers in that row are of another page.
 */
export function withOpenWrites(
  unsaved: UnsavedDraft | undefined,
  { revision }: ReadRow,
): UnsavedDraft | undefined {
  return unsaved && [revision, 'unread'].includes(unsaved.revision) ? unsaved : undefined
}

/**
 * The late writes that had merged the unsaved draft of `memory` with `row`, for a draft that does not have what they took from
 * the row: there another tab has saved these answers, so they must not look like older ones of this page.
 */
export function ownPartsOf(
  late: readonly LateWrite[],
  { unsaved }: RowMemory,
  { draft: row }: ReadRow,
): readonly LateWrite[] {
  if (!unsaved || !row) return late
  const { values: own } = unsaved.draft
  return late.map(write => {
    const taken = fieldGroups
      .filter(fields => haveSameAnswers(write.values, row.values, fields))
      .filter(fields => !haveSameAnswers(write.values, own, fields))
      .flat()
    if (taken.length === 0) return write
    return { revision: undefined, values: copyFields(taken, own, write.values) }
  })
}

/** Adds the Submit of the unsaved draft. Answers that the merge has changed must be checked before the sync sends them. */
function withSubmit(merged: Draft, { values, faulty }: Draft): Draft {
  const isFaulty = faulty === true || !haveSameAnswers(merged.values, values)
  return { ...merged, submitted: true, ...(isFaulty && { faulty: true }) }
}

/**
 * The draft on which the unsaved one is based, as a merge needs it. Where the applicant still has to choose, it has the
 * server's answers of before the conflict: with those of the row, the merge would take the conflict for solved (D32).
 */
function lastKnownOf({ draft, from }: UnsavedDraft): Draft {
  const { base, theirs } = draft
  const before = base?.values ?? emptyForm()
  if (!from || !theirs) return from ?? { ...draft, values: before }
  const open = fieldGroups.filter(
    fields =>
      !haveSameAnswers(draft.values, from.values, fields) &&
      !haveSameAnswers(draft.values, before, fields) &&
      !haveSameAnswers(theirs.values, before, fields),
  )
  return { ...from, base, values: copyFields(open.flat(), before, from.values) }
}

type Rivals = {
  row: Draft
  lastKnown: Draft
  /** The server's form in the last common version of both; undefined without one. */
  knownBase: ServerForm | undefined
  isLater: boolean
}

/**
 * The answers of `draft` that win over those of the row. An answer that was typed wins over one that a sync has merged from
 * the server, whatever the clock said; of two typed answers the later one wins. The others are as in `lastKnown`.
 */
function winningAnswers(draft: Draft, { row, lastKnown, knownBase, isLater }: Rivals): FormValues {
  const isChangedIn = (fields: readonly FieldName[]) =>
    !isFromServer(fields, row, knownBase) && !haveSameAnswers(row.values, lastKnown.values, fields)
  const losing = fieldGroups.filter(
    fields => isFromServer(fields, draft, knownBase) || (!isLater && isChangedIn(fields)),
  )
  return copyFields(losing.flat(), lastKnown.values, draft.values)
}

/** An answer that the server had in `knownBase` already, and that was another one in between, was typed back. */
function isFromServer(
  fields: readonly FieldName[],
  { values, base }: Draft,
  knownBase: ServerForm | undefined,
): boolean {
  if (!base || !haveSameAnswers(values, base.values, fields)) return false
  return !knownBase || !haveSameAnswers(base.values, knownBase.values, fields)
}
