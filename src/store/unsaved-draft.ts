import { emptyForm, type FieldName, type FormValues } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import type { Draft } from './draft.ts'
import type { CurrentDraft } from './draft-context.ts'
import type { ReadRow } from './draft-rows.ts'
import type { Replacement } from './replaced-drafts.ts'
import { maxRevisionsPerDraft } from './revision-rows.ts'

/**
 * Three-way merge of a draft: `stored` with `typed.values`, which the applicant typed on top of `typed.lastKnown`, an
 * earlier version of the stored draft. The caller provides this function, because the store does not know the form.
 */
export type MergeDrafts = (
  stored: Draft,
  typed: { values: FormValues; tab: string; lastKnown: Draft },
) => Draft

export type UnsavedDraft = {
  draft: Draft
  /**
   * `revision` of the row on which the draft is based, as this page has read it. Undefined without a row, `unread` when the
   * draft of the row is not known.
   */
  revision: number | undefined | 'unread'
  /** The draft in that row; when the page has not read the row, the draft that its form has shown. */
  from: Draft | undefined
  /** The last writes that failed, except on a full disk: the browser may have done them, or may still do them. Oldest first. */
  lateWrites?: readonly LateWrite[] | undefined
  /**
   * Without a row: the id of the last deletion of the application before this draft, as when a restored server lists it
   * again; empty without one. Undefined when it is not known.
   */
  deletionId?: string | undefined
  /**
   * The groups whose answers the applicant has typed or restored in this page, and which the row may not have. All other
   * answers of the memory come from the row or from the server.
   */
  typed: readonly FieldGroup[]
}

/** One of `fieldGroups`. */
type FieldGroup = readonly FieldName[]

/**
 * The revision and the answers of a failed write that the browser may have done, or may still do. A move has no
 * revision here, because it may have merged these answers with others. A write that took some from the row has none
 * either (`ownPartsOf`).
 */
export type LateWrite = { revision: number | undefined; values: FormValues }

/** An unsaved draft without its answers. */
type Basis = Omit<UnsavedDraft, 'draft'>

/**
 * Returns the unsaved draft after a change that the device could not save. An answer that the sync replaces with
 * another one is no longer typed. When the page has not read the row, the unsaved draft is based on the draft that the
 * form has shown. Without a row and without such a draft, all answers that the server's form does not have count as
 * typed. `late`: the writes of this change that the browser may have done, or may still do.
 */
export function unsavedAfter(
  basis: Basis,
  { before, after, cause }: Replacement,
  late: readonly LateWrite[],
): UnsavedDraft | undefined {
  if (!after) return undefined
  const isOnlyShown =
    !before && basis.revision === 'unread' && cause.kind === 'typed' && cause.lastKnown.savedAt > 0
  const from = isOnlyShown ? cause.lastKnown : basis.from
  const known = before ?? from
  const base = valuesOf(after.base)
  const isTyping = !before || cause.kind !== 'other'
  // What the applicant types may end a conflict: then the draft also gets other answers of the server.
  const isFromServer = (fields: FieldGroup) =>
    known?.base !== after.base && haveSameAnswers(base, after.values, fields)
  const typed = fieldGroups.filter(fields =>
    haveSameAnswers(known?.values ?? base, after.values, fields)
      ? basis.typed.includes(fields)
      : isTyping && !isFromServer(fields),
  )
  return { ...basis, from, draft: after, lateWrites: addLate(basis.lateWrites, late), typed }
}

/** On which row an unsaved draft is based. A row that could not be read or decrypted may have other answers. */
export function basisOf(row: ReadRow | undefined): Basis {
  const isUnread = !row || (row.revision !== undefined && row.draft === undefined)
  if (isUnread) return { revision: 'unread', from: undefined, typed: [] }
  return { revision: row.revision, from: row.draft, deletionId: row.deletionId, typed: [] }
}

/** On which row a draft is based that is merged from the row and the memory. */
export function basisOfMerged({ row, memory: { unsaved }, draft }: CurrentDraft): Basis {
  if (!unsaved || !draft) return basisOf(row)
  // When another write has replaced the row, an answer there that equals one of a late write is of another page.
  const isOpen = [row.revision, 'unread'].includes(unsaved.revision)
  const lateWrites = isOpen ? unsaved.lateWrites : undefined
  // A late write may still replace an answer of the row.
  const typed = lateWrites?.length ? unsaved.typed : typedSince(row.draft, draft, unsaved.typed)
  return { ...basisOf(row), lateWrites, typed }
}

/**
 * The typed groups of the draft whose answers the row does not have. The row counts as having a group only if its
 * `base` and that of the draft agree there too. Otherwise an answer that was typed back over a sent one would lose to
 * the sent one, as soon as the row gets the sent one from the server.
 */
function typedSince(
  row: Draft | undefined,
  { values, base }: Draft,
  typed: readonly FieldGroup[],
): readonly FieldGroup[] {
  const isIn = (fields: FieldGroup) =>
    row &&
    haveSameAnswers(row.values, values, fields) &&
    haveSameAnswers(valuesOf(row.base), valuesOf(base), fields)
  return typed.filter(fields => !isIn(fields))
}

const valuesOf = (form: { values: FormValues } | undefined) => form?.values ?? emptyForm()

/**
 * A write of this page. `revision`: that of the row that it has read. `before`: this row, merged with the unsaved draft
 * of the memory; undefined when there was neither. `saved`: the draft that it has saved in place of the row; undefined
 * after a deletion or a move.
 */
export type DoneWrite = {
  revision: number | undefined
  before: Draft | undefined
  saved?: Draft | undefined
}

/**
 * What the memory still has to save after a write that began with the unsaved draft `written`. An answer that has changed in
 * the memory since stays. The others become those of `saved`, which the page shows: otherwise an answer that the applicant
 * types back over one of them would look unchanged. A draft that is based on another row than the write stays as it is.
 */
export function restAfterWrite(
  current: UnsavedDraft | undefined,
  written: UnsavedDraft | undefined,
  { revision, before, saved }: DoneWrite,
): UnsavedDraft | undefined {
  if (!current || current === written) return undefined
  const isBasedOnIt = current.revision === revision || (written && current.revision === written.revision)
  if (!before || !isBasedOnIt) return current
  const { draft, typed } = current
  const { values: known } = written?.draft ?? before
  const unchanged = fieldGroups.filter(fields => haveSameAnswers(draft.values, known, fields))
  const values = copyFields(unchanged.flat(), (saved ?? draft).values, draft.values)
  // The write may have saved answers that must be checked before the sync sends them.
  const isFaulty = draft.submitted && saved?.faulty
  return {
    draft: { ...draft, values, ...(isFaulty && { faulty: true }) },
    from: saved ?? before,
    revision: 'unread',
    typed: typed.filter(fields => !unchanged.includes(fields)),
  }
}

/**
 * Returns the unsaved draft, merged with the row unless it is based on this version of the row; without one, the draft
 * of the row.
 */
export function mergeWithRow(
  unsaved: UnsavedDraft | undefined,
  { draft: row, revision }: ReadRow,
  mergeDrafts: MergeDrafts,
): Draft | undefined {
  if (!unsaved) return row
  const { draft, from } = unsaved
  if (!row || revision === unsaved.revision) return draft
  const { tab, savedAt } = isRowLater(unsaved, row) ? row : draft
  const merged = { ...mergeDrafts(row, { ...winningAnswers(unsaved, row), tab }), savedAt }
  // Another page may have sent this Submit from the row of a late write, and the server may have accepted or refused it.
  const isAnswered = merged.delivered || merged.stuck
  return draft.submitted && !from?.submitted && !isAnswered ? withSubmit(merged, draft) : merged
}

/**
 * Whether another tab has saved typed answers in the row after the applicant typed in this page. Neither is older than
 * `from`: one with an earlier time was typed after the clock was set back, so it is the later one of the two (D75).
 */
function isRowLater({ draft, from }: UnsavedDraft, row: Draft): boolean {
  const isSetBack = ({ savedAt }: Draft) => savedAt < (from?.savedAt ?? 0)
  return isSetBack(row) === isSetBack(draft) ? draft.savedAt < row.savedAt : isSetBack(row)
}

/**
 * The answers of the row with the typed ones of the memory. A typed answer wins over one that a sync has merged,
 * whatever the clock said; of two typed answers the later one wins (D75). `lastKnown` has the answers of the row, so
 * that the merge takes the typed ones. In a group in which the unsaved draft is in conflict, or the row has a newer
 * answer of the server, `lastKnown` has the server's answer that this page knew. So the merge takes the newer answer if
 * the page has sent its own, and else lets the applicant choose (D32).
 */
function winningAnswers(unsaved: UnsavedDraft, row: Draft): { values: FormValues; lastKnown: Draft } {
  const { draft, from, lateWrites = [], typed } = unsaved
  const base = valuesOf(draft.base)
  const rowBase = valuesOf(row.base)
  // The form of the server and the answers that the row had when this page read it, and the answers of late writes since.
  const seenBase = valuesOf((from ?? draft).base)
  const seen = [from?.values ?? base, ...lateWrites.map(each => each.values)]
  let { values } = row
  let lastKnown = row.values
  for (const fields of typed) {
    const isSame = (one: FormValues, other: FormValues) => haveSameAnswers(one, other, fields)
    const hasOtherBase = !isSame(rowBase, seenBase)
    const isRowMerged = hasOtherBase && isSame(row.values, rowBase)
    const isSeen = seen.some(each => isSame(each, row.values))
    if (!isSeen && !isRowMerged && isRowLater(unsaved, row)) continue
    values = copyFields(fields, draft.values, values)
    const isInConflict = draft.theirs && !isSame(draft.values, base)
    const hasNewerBase = hasOtherBase && !hasOlderBase(row, draft)
    if (isInConflict || (hasNewerBase && !isSeen)) lastKnown = copyFields(fields, base, lastKnown)
  }
  return { values, lastKnown: { ...draft, values: lastKnown } }
}

/** Whether another tab has saved in the row an earlier form of the server than this page has read or sent. */
const hasOlderBase = (row: Draft, draft: Draft) => (row.base?.version ?? 0) < (draft.base?.version ?? 0)

/**
 * Whether the draft is known to be older than this deletion of its application, of which the device now has a mark: the
 * page knew a draft of the row or, without a row, had read that there was no mark or that of an earlier deletion.
 */
export function isBeforeDeletion({ from, deletionId }: UnsavedDraft, markedId: string | undefined): boolean {
  return from !== undefined || (deletionId !== undefined && deletionId !== markedId)
}

/**
 * The unsaved draft, based on the row if a late write has written it: then an answer that another tab types back over that of the
 * late write does not look unchanged.
 */
export function basedOnLateWrite(unsaved: UnsavedDraft, { revision, draft: from }: ReadRow): UnsavedDraft {
  const { draft, lateWrites, typed } = unsaved
  if (!from || !lateWrites?.some(late => late.revision === revision)) return unsaved
  return { draft, revision, from, typed: typedSince(from, draft, typed) }
}

/** Returns late writes with further ones. Only the last ones stay, because each has a whole form. */
export function addLate(before: readonly LateWrite[] = [], late: readonly LateWrite[]): readonly LateWrite[] {
  return [...before, ...late].slice(-maxRevisionsPerDraft)
}

/**
 * Returns the late writes, which had merged the unsaved draft of `memory` with `row`, without the answers that they
 * took from the row: another tab has saved these answers, so they must not look like older ones of this page.
 */
export function ownPartsOf(
  late: readonly LateWrite[],
  { row: { draft: row }, memory: { unsaved } }: CurrentDraft,
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
