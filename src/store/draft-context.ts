import type { ApplicantKey } from './applicant-key.ts'
import type { DraftRevisions } from './draft-revisions.ts'
import { type DraftRows, rowIdOf } from './draft-rows.ts'
import { type SaveFailureReason, StorageFault } from './storage-fault.ts'
import type { UnsavedDrafts } from './unsaved-drafts.ts'
import type { WriteGuard } from './write-guard.ts'

export type DraftContext = {
  rows: DraftRows
  unsaved: UnsavedDrafts
  revisions: DraftRevisions
  applicantKey: () => Promise<ApplicantKey | undefined>
  mayWrite: WriteGuard['mayWrite']
  now: () => number
}

/** The row, this page's memory of it, and the draft that is merged from both. */
export async function readCurrent(context: DraftContext, reader: ApplicantKey, applicationId: string) {
  const { rows, unsaved } = context
  const row = await rows.read(reader, applicationId)
  const rowId = rowIdOf(reader, applicationId)
  if (row.revision === undefined) await followMove(context, reader, applicationId)
  unsaved.setLastRead(rowId, row)
  return { row, memory: unsaved.memoryOf(rowId), draft: unsaved.merge(rowId, row) }
}

/** Another tab may have moved the draft to the server's id while this page could not save its answers. */
export async function followMove(
  { rows, unsaved }: DraftContext,
  reader: ApplicantKey,
  applicationId: string,
) {
  const rowId = rowIdOf(reader, applicationId)
  if (!unsaved.hasUnwritten(rowId)) return
  const movedTo = await rows.findMove(reader, applicationId)
  if (movedTo !== undefined) unsaved.followMove(rowId, rowIdOf(reader, movedTo))
}

export async function undefinedOnFault<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return (await valueOrFault(reading)).value
}

/** The value, or the reason why the storage did not give it. */
export async function valueOrFault<Value>(
  reading: Promise<Value>,
): Promise<{ value?: Value; reason?: SaveFailureReason }> {
  try {
    return { value: await reading }
  } catch (error) {
    if (error instanceof StorageFault) return { reason: error.reason }
    throw error
  }
}
