import type { ApplicantKey } from './applicant-key.ts'
import { createDeletionMark } from './deletion-mark.ts'
import type { Draft } from './draft.ts'
import { type DraftContext, readCurrent } from './draft-context.ts'
import { rowIdOf } from './draft-rows.ts'
import { undefinedOnFault } from './on-fault.ts'
import { droppedAnswers, replacementsOf } from './replaced-drafts.ts'
import { revisionsOfUnreadable } from './revision-rows.ts'
import type { ChangeCause } from './revision-rule.ts'
import { type SaveFailureReason, StorageFault } from './storage-fault.ts'
import { basisOfMerged, isBeforeDeletion, type LateWrite, ownPartsOf, unsavedAfter } from './unsaved-draft.ts'
import type { RowMemory } from './unsaved-drafts.ts'

/**
 * The result of a write. After a write, the form takes from this result alone whether the device has saved the answers
 * (D30). `not-saved` with a draft: it stays in the memory of this page. Without one: the change deletes the draft, or
 * it was dropped, because this page has no `ApplicantKey`, the rows were deleted, or another applicant has signed in.
 */
export type SaveResult =
  | { kind: 'saved'; draft: Draft | undefined }
  | { kind: 'not-saved'; reason: SaveFailureReason; draft: Draft | undefined }
  /** The applicant has deleted the application since its form was opened: nothing was written (LST13). */
  | { kind: 'deleted'; draft: undefined }

/**
 * Returns a new draft, the same one, or undefined to delete it. With the same one nothing is written, unless the memory of
 * this page has answers that the device must still save. May run more than once.
 */
export type Change = (draft: Draft | undefined) => Draft | undefined

type UpdateRequest = { applicationId: string; change: Change; cause: ChangeCause }

/** `knownDeletionId`: what `UnsavedDrafts.knownDeletionId` returned when the write began. */
type Attempt = UpdateRequest & { knownDeletionId: string | undefined }

export async function updateDraft(context: DraftContext, request: UpdateRequest): Promise<SaveResult> {
  let { applicationId } = request
  let known: { rowId: string; deletionId: string | undefined } | undefined
  for (;;) {
    const writer = await undefinedOnFault(context.applicantKey())
    const { applicantId = writer?.applicantId } = request.cause
    // A form saves what was typed during a slow save only afterwards: by then another applicant may have signed in.
    if (!writer || applicantId !== writer.applicantId || !context.mayWrite(applicantId))
      return { kind: 'not-saved', reason: 'refused', draft: undefined }
    const rowId = rowIdOf(writer, applicationId)
    // A second attempt keeps what was known before the first: a read since may have found the mark of a deletion.
    if (known?.rowId !== rowId) known = { rowId, deletionId: context.unsaved.knownDeletionId(rowId) }
    try {
      const attempt = { ...request, applicationId, knownDeletionId: known.deletionId }
      const saved = await tryUpdate(context, writer, attempt)
      if (saved) return saved
      applicationId = (await context.rows.findMove(writer, applicationId)) ?? applicationId
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error
      // The rows were deleted during this write: a later write must not save the answers again.
      if (!context.mayWrite(applicantId)) return { kind: 'not-saved', reason: error.reason, draft: undefined }
      return updateInMemory(context, rowId, { ...request, reason: error.reason })
    }
  }
}

/**
 * One attempt. Undefined when the write is `outdated`: then `updateDraft` tries again with what the device has now, under the
 * new id if the draft was moved.
 */
async function tryUpdate(
  context: DraftContext,
  writer: ApplicantKey,
  attempt: Attempt,
): Promise<SaveResult | undefined> {
  const { applicationId, change, cause } = attempt
  const { rows, unsaved, revisions, runningWrites, now } = context
  const rowId = rowIdOf(writer, applicationId)
  const current = await readCurrent(context, writer, applicationId)
  const { row, memory, draft: before } = current
  const changed = change(before)
  const isAllSaved = !memory.unsaved && memory.dropped.length === 0
  const isDeletion = cause.kind === 'deleted' && !changed
  const mustDeleteRow = isDeletion || (cause.kind === 'discarded' && row.unreadable)
  if (changed === before && isAllSaved && !mustDeleteRow) return { kind: 'saved', draft: changed }
  const { deletionId } = row
  if (changed && deletionId && isBeforeMark(attempt, memory, deletionId))
    return { kind: 'deleted', draft: undefined }
  const draft = changed && stampChange(before, changed, { cause, now: now() })
  const next = draft && (await rows.encrypt(writer, applicationId, draft))
  const replacements = replacementsOf(current, { after: draft, cause })
  const deletionMark = isDeletion ? await createDeletionMark(writer, applicationId) : undefined
  const kept = isDeletion ? [] : revisionsOfUnreadable(row.unreadable)
  const { dropped } = memory
  if (!isDeletion) kept.push(...(await revisions.prepare(writer, applicationId, { dropped, replacements })))
  let isDone = false
  const setDone = () => {
    if (isDone) return
    isDone = true
    unsaved.setLastRead(rowId, { revision: next?.row.revision, draft, deletionId: deletionMark?.deletionId })
    unsaved.setWritten(rowId, memory, { revision: row.revision, before, saved: draft })
  }
  if (next) runningWrites.set(next.row.revision, setDone)
  try {
    const rowChange = { before: row.revision, next, revisions: kept, deletionMark, deletionId }
    const written = await rows.replace(writer, applicationId, rowChange)
    if (written === 'outdated') return undefined
    setDone()
    if (written === 'written') unsaved.removeDropped(rowId, dropped)
    // The storage has taken the draft, but not the earlier answers: the next write tries again.
    else unsaved.addDropped(rowId, droppedAnswers(replacements, now()))
    return { kind: 'saved', draft }
  } catch (error) {
    if (!(error instanceof StorageFault) || !context.mayWrite(writer.applicantId)) throw error
    if (!isDone && unsaved.isDeletedSince(rowId, memory)) return { kind: 'deleted', draft: undefined }
    const { reason } = error
    const late = next && reason !== 'full' ? [{ revision: next.row.revision, values: next.draft.values }] : []
    // Another write of this page has ended since: this change must not replace what that write left in the memory.
    if (!isDone && !unsaved.isCurrent(rowId, memory))
      return updateInMemory(context, rowId, { change, cause, reason, late: ownPartsOf(late, current) })
    // If a read of this page has found the new row, its revisions may be missing. If not, the old row still has its answers.
    const lost = replacements.filter(each => isDone || each.before !== row.draft)
    unsaved.addDropped(rowId, droppedAnswers(lost, now()))
    if (isDone) return { kind: 'saved', draft }
    unsaved.setUnsaved(rowId, unsavedAfter(basisOfMerged(current), { before, after: draft, cause }, late))
    return { kind: 'not-saved', reason, draft }
  } finally {
    runningWrites.delete(next?.row.revision)
  }
}

type FailedUpdate = {
  change: Change
  cause: ChangeCause
  reason: SaveFailureReason
  /** The write that failed, if the browser may have done it, or may still do it. */
  late?: readonly LateWrite[]
}

/** Changes the draft in the memory of this page, without a read of its row. */
function updateInMemory(
  { unsaved, now }: DraftContext,
  rowId: string,
  { change, cause, reason, late = [] }: FailedUpdate,
): SaveResult {
  const before = unsaved.lastKnown(rowId)
  const changed = change(before)
  // Another tab has deleted the application since the form was opened.
  if (changed && isOfOlderForm(cause) && unsaved.isKnownDeleted(rowId))
    return { kind: 'deleted', draft: undefined }
  const draft = changed && changed !== before ? stampChange(before, changed, { cause, now: now() }) : changed
  const replacement = { before, after: draft, cause }
  if (unsaved.memoryOf(rowId).unsaved) unsaved.addDropped(rowId, droppedAnswers([replacement], now()))
  unsaved.replaceUnsaved(rowId, replacement, late)
  return { kind: 'not-saved', reason, draft }
}

/**
 * Whether the form of the change was opened before the deletion of which the device has this mark. When the memory has
 * an unsaved draft that is not from before the deletion, the form was opened afterwards. A form that has had no draft
 * was opened afterwards too, if this page had read the mark when the write began.
 */
function isBeforeMark(
  { cause, knownDeletionId }: Attempt,
  { unsaved }: RowMemory,
  deletionId: string,
): boolean {
  if (unsaved && !isBeforeDeletion(unsaved, deletionId)) return false
  return isOfOlderForm(cause) || (cause.kind === 'typed' && knownDeletionId !== deletionId)
}

/** Whether the change may come from a form that was opened before the deletion: it has had a draft on this device. */
function isOfOlderForm(cause: ChangeCause): boolean {
  return cause.kind === 'restored' || (cause.kind === 'typed' && cause.lastKnown.savedAt > 0)
}

/**
 * `savedAt` is the time of the last write of a form (`Draft`). A merge, the server's copy and the choice in a conflict
 * keep it; a new draft gets the time of its first write.
 */
function stampChange(
  before: Draft | undefined,
  after: Draft,
  { cause, now }: { cause: ChangeCause; now: number },
): Draft {
  const hasSameAnswers = before && before.values === after.values && before.tab === after.tab
  return before && (hasSameAnswers || cause.kind === 'other')
    ? { ...after, savedAt: before.savedAt }
    : { ...after, savedAt: now }
}
