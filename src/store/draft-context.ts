import type { ApplicantKey } from './applicant-key.ts'
import type { DraftRevisions } from './draft-revisions.ts'
import type { Draft } from './draft.ts'
import { type DraftRows, type ReadRow, rowIdOf } from './draft-rows.ts'
import { isBeforeDeletion } from './unsaved-draft.ts'
import type { RowMemory, UnsavedDrafts } from './unsaved-drafts.ts'
import type { WriteGuard } from './write-guard.ts'

export type DraftContext = {
  rows: DraftRows
  unsaved: UnsavedDrafts
  revisions: DraftRevisions
  applicantKey: () => Promise<ApplicantKey | undefined>
  mayWrite: WriteGuard['mayWrite']
  now: () => number
  /**
   * A function for each running update of this page that writes a row, by the revision that it gives the row. Call it
   * when a read finds that revision: the device has done the write, although this page does not know it yet.
   */
  runningWrites: Map<number | undefined, () => void>
}

/** The row, this page's memory of it, and the draft that is merged from both. */
export type CurrentDraft = { row: ReadRow; memory: RowMemory; draft: Draft | undefined }

export async function readCurrent(
  context: DraftContext,
  reader: ApplicantKey,
  applicationId: string,
): Promise<CurrentDraft> {
  const { rows, unsaved } = context
  const row = await rows.read(reader, applicationId)
  const rowId = rowIdOf(reader, applicationId)
  if (row.revision === undefined) await followMoveOrDeletion(context, reader, applicationId)
  followWrites(context, rowId, row)
  unsaved.setLastRead(rowId, row)
  return { row, memory: unsaved.memoryOf(rowId), draft: unsaved.merge(rowId, row) }
}

/**
 * Call it with each row that was read, before `merge`. Otherwise, after a write of this page to the row, an answer that
 * the applicant changes back to the one before that write would look unchanged, and the answer of the write would win.
 */
export function followWrites({ runningWrites, unsaved }: DraftContext, rowId: string, row: ReadRow): void {
  runningWrites.get(row.revision)?.()
  unsaved.followLateWrite(rowId, row)
}

/**
 * Another tab may have moved the draft to the server's id, or deleted it, while this page could not save its answers.
 * Then the answers in the memory move too, or are forgotten if they are older than the deletion.
 */
export async function followMoveOrDeletion(
  { rows, unsaved }: DraftContext,
  reader: ApplicantKey,
  applicationId: string,
) {
  const rowId = rowIdOf(reader, applicationId)
  if (!unsaved.hasUnwritten(rowId)) return
  const movedTo = await rows.findMove(reader, applicationId)
  if (movedTo !== undefined) return unsaved.followMove(rowId, rowIdOf(reader, movedTo))
  const deletionId = await rows.readDeletionId(reader, applicationId)
  const { unsaved: draft } = unsaved.memoryOf(rowId)
  if (deletionId && (!draft || isBeforeDeletion(draft, deletionId))) unsaved.forget(rowId, deletionId)
}
