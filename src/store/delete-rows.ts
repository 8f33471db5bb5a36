import type { Database, DraftRow } from './database.ts'
import type { RevisionTable } from './revision-rows.ts'

/**
 * Deletes the rows of which `isOwned` is true: of one applicant, or of all. With `keepsLocked` the locked drafts stay, with
 * their revisions and the random keys that open them (D31). Call it inside a transaction on all tables. Resolves to whether
 * such drafts stay.
 */
export async function deleteRows(
  { drafts, moves, keys, seen, revisions }: Database,
  isOwned: (row: { applicantId: string }) => boolean,
  { keepsLocked }: { keepsLocked: boolean },
): Promise<boolean> {
  await drafts.filter(row => isOwned(row) && !(keepsLocked && isLocked(row))).delete()
  const kept = await drafts.filter(isOwned).toArray()
  await revisionsByDraft(revisions).noneOf(kept.map(rowKeyOf)).and(isOwned).delete()
  for (const table of [moves, seen]) await table.filter(isOwned).delete()
  // A random key of an applicant whose drafts stay is the only one that opens them (D67).
  const keptIds = new Set(kept.map(({ applicantId }) => applicantId))
  await keys.filter(row => isOwned(row) && (row.id === 'current' || !keptIds.has(row.applicantId))).delete()
  return keptIds.size > 0
}

export function isLocked({ lockedAt }: DraftRow): boolean {
  return lockedAt !== undefined
}

export function revisionsByDraft(revisions: RevisionTable) {
  return revisions.where('[applicantId+applicationId]')
}

export function rowKeyOf({ applicantId, applicationId }: DraftRow): [string, string] {
  return [applicantId, applicationId]
}
