import { emptyForm, type FieldName, type FormValues } from '#contract/application.ts'
import { copyFields, fieldGroups, haveSameAnswers } from '#contract/field-groups.ts'
import type { Draft, ServerForm } from './draft.ts'
import type { CurrentDraft } from './draft-context.ts'
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

export type UnsavedDraft = {
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
   * Without a row: the id of the last deletion of the application before this draft, as when a restored server lists it
   * again; empty without one. Undefined when it is not known.
   */
  deletionId?: string | undefined
  /** The fields whose answers were typed, and equal those of the server's form only since it was told of them. */
  sentFields?: readonly FieldName[] | undefined
}

/**
 * The revision and the answers of a failed write that the browser may have done, or may still do. A move has no revision here,
 * because it may have merged these answers with others; nor has a write that took some from the row (`ownPartsOf`).
 */
export type LateWrite = { revision: number | undefined; values: FormValues }

/** Returns `next`, which takes the place of `before` in the memory, with its `sentFields`. */
export function withSentFields(before: UnsavedDraft | undefined, next: UnsavedDraft): UnsavedDraft {
  if (!before || before === next) return next
  const { draft, from, sentFields } = before
  const sent = fieldGroups.filter(
    fields =>
      haveSameAnswers(draft.values, next.draft.values, fields) &&
      isFromServer(fields, next.draft, undefined) &&
      (areAllIn(sentFields, fields) || !isFromServer(fields, draft, from?.base)),
  )
  return { ...next, sentFields: sent.flat() }
}

const areAllIn = (list: readonly FieldName[] = [], fields: readonly FieldName[]) =>
  fields.every(field => list.includes(field))

/** On which row an unsaved draft is based. A row that could not be read or decrypted may have other answers. */
export function basisOf(row: ReadRow | undefined): Pick<UnsavedDraft, 'revision' | 'from' | 'deletionId'> {
  const isUnread = !row || (row.revision !== undefined && row.draft === undefined)
  if (isUnread) return { revision: 'unread', from: undefined }
  return { revision: row.revision, from: row.draft, deletionId: row.deletionId }
}

/**
 * A write of this page. `revision`: that of the row that it has read. `before`: this row, merged with the unsaved draft of the
 * memory; undefined when there was neither. `saved`: the draft that it has saved in place of the row; undefined when it has
 * deleted or moved the row.
 */
export type DoneWrite = {
  revision: number | undefined
  before: Draft | undefined
  saved?: Draft | undefined
}

/**
 * What the memory still has to save after a write that began with the unsaved draft `written`. An answer that has changed in
 * the memory since stays, and is based on `before`. The others become those of `saved`, which the page shows. Otherwise an
 * answer that the applicant types back over one of them would look unchanged or, if the memory has it as sent, like one of the
 * server. A draft that is based on another row than the write stays as it is.
 */
export function restAfterWrite(
  current: UnsavedDraft | undefined,
  written: UnsavedDraft | undefined,
  { revision, before, saved }: DoneWrite,
): UnsavedDraft | undefined {
  if (!current || current === written) return undefined
  const isBasedOnIt = current.revision === revision || (written && current.revision === written.revision)
  if (!before || !isBasedOnIt) return current
  const { draft } = current
  const { values: known } = written?.draft ?? before
  const { values: shown } = saved ?? draft
  const unchanged = fieldGroups.filter(fields => haveSameAnswers(draft.values, known, fields)).flat()
  const copyUnchanged = (from: FormValues, into: FormValues) => copyFields(unchanged, from, into)
  const base = draft.base && {
    ...draft.base,
    ...before.base,
    values: copyUnchanged(draft.base.values, before.base?.values ?? emptyForm()),
  }
  // The write may have saved answers that must be checked before the sync sends them.
  const isFaulty = draft.submitted && saved?.faulty
  return {
    draft: { ...draft, values: copyUnchanged(shown, draft.values), ...(isFaulty && { faulty: true }) },
    from: { ...before, base, values: copyUnchanged(shown, before.values) },
    revision: 'unread',
  }
}

/** Returns the unsaved draft; merged with the row when another tab has changed the row, so that no answer is lost. */
export function mergeWithRow(
  unsaved: UnsavedDraft | undefined,
  { draft: stored, revision }: ReadRow,
  mergeDrafts: MergeDrafts,
): Draft | undefined {
  if (!unsaved) return stored
  const { draft, from, sentFields } = unsaved
  if (!stored || revision === unsaved.revision) return draft
  const late = lateFields(unsaved, stored)
  const withLate = (values: FormValues) => copyFields(late, stored.values, values)
  const known = lastKnownOf(unsaved)
  const lastKnown = { ...known, values: withLate(known.values) }
  const seen = withLate((from ?? known).values)
  const isLater = draft.savedAt >= stored.savedAt
  const rivals = { stored, seen, lastKnown, knownBase: from?.base, isLater, sentFields }
  const winning = winningAnswers(draft, rivals)
  const values = copyFields(late, draft.values, winning)
  const typed = { values, tab: isLater ? draft.tab : stored.tab, lastKnown }
  const savedAt = Math.max(draft.savedAt, stored.savedAt)
  const merged = { ...mergeDrafts(stored, typed), savedAt }
  // Another page may have sent this Submit from the row of a late write, and the server may have accepted or refused it.
  const isAnswered = merged.delivered || merged.stuck
  return draft.submitted && !from?.submitted && !isAnswered ? withSubmit(merged, draft) : merged
}

/**
 * Whether the draft is known to be older than this deletion of its application, of which the device now has a mark: the page
 * had read a row or, without a row, no mark or that of an earlier deletion.
 */
export function isBeforeDeletion({ from, deletionId }: UnsavedDraft, markedId: string | undefined): boolean {
  return from !== undefined || (deletionId !== undefined && deletionId !== markedId)
}

/**
 * The unsaved draft, based on the row if a late write has written it: then an answer that another tab types back over that of the
 * late write does not look unchanged. Where the draft differs from the row, the draft is newer, also in answers that this page
 * has sent to the server since: so the base of the draft counts as known.
 */
export function basedOnLateWrite(unsaved: UnsavedDraft, row: ReadRow): UnsavedDraft {
  const { draft, lateWrites } = unsaved
  const { revision, draft: written } = row
  if (!written || !lateWrites?.some(late => late.revision === revision)) return unsaved
  return { draft, revision, from: { ...written, base: draft.base } }
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
  /** The draft of the row. */
  stored: Draft
  /** The answers that the row had when this page read it, or that a late write of this page has given it since. */
  seen: FormValues
  lastKnown: Draft
  /** The server's form in the last common version of both; undefined without one. */
  knownBase: ServerForm | undefined
  isLater: boolean
  sentFields: UnsavedDraft['sentFields']
}

/**
 * The answers of `draft` that win over those of the row. An answer that was typed wins over one that a sync has merged from
 * the server, whatever the clock said; of two typed answers the later one wins. The others are as in `lastKnown`.
 */
function winningAnswers(
  draft: Draft,
  { stored, seen, lastKnown, knownBase, isLater, sentFields }: Rivals,
): FormValues {
  // Until the row has a newer form of the server, an answer that this page has sent counts as typed.
  const isTyped = (fields: readonly FieldName[]) =>
    areAllIn(sentFields, fields) &&
    (!stored.base || (knownBase && haveSameAnswers(stored.base.values, knownBase.values, fields)))
  const isChangedIn = (fields: readonly FieldName[]) =>
    !isFromServer(fields, stored, knownBase) && !haveSameAnswers(stored.values, seen, fields)
  const losing = fieldGroups.filter(
    fields =>
      (isFromServer(fields, draft, knownBase) && !isTyped(fields)) || (!isLater && isChangedIn(fields)),
  )
  return copyFields(losing.flat(), lastKnown.values, draft.values)
}

/**
 * Whether the draft has these answers from the server. Answers that the server had in `knownBase` already do not count: if the
 * draft had others since, the applicant has typed them back.
 */
function isFromServer(
  fields: readonly FieldName[],
  { values, base }: Draft,
  knownBase: ServerForm | undefined,
): boolean {
  if (!base || !haveSameAnswers(values, base.values, fields)) return false
  return !knownBase || !haveSameAnswers(base.values, knownBase.values, fields)
}
