import type { Table } from 'dexie'
import { type FormValues, readForm } from '#contract/application.ts'
import type { ApplicantKey } from './applicant-key.ts'
import type { DraftRow, NewRevisionRow, RevisionRow } from './database.ts'
import { parseDraft } from './draft.ts'
import { decryptJson, encryptJson } from './encryption.ts'
import { StorageFault } from './storage-fault.ts'

/** Earlier answers of one draft; a higher number is newer. `at`: see `RevisionRow`. */
export type Revision = { number: number; at: number; values: FormValues }

/** When a draft has more, its oldest revisions are deleted (D63). */
export const maxRevisionsPerDraft = 20

/**
 * The ciphertexts of all revisions of one applicant together, in bytes. A complete form has about 2 KB, so that five
 * drafts keep all their revisions. A cheap phone with a full memory gives a site a few megabytes, which the portal's
 * files and the drafts need too.
 */
export const maxRevisionBytes = 256 * 1_024

export type RevisionTable = Table<RevisionRow, number, NewRevisionRow>

type NewRevision = { applicationId: string; at: number; values: FormValues }

export async function encryptRevision(
  writer: ApplicantKey,
  { applicationId, at, values }: NewRevision,
): Promise<NewRevisionRow> {
  const { applicantId, key } = writer
  const sealed = await encryptJson(key, values, contextOf(writer, applicationId))
  return { applicantId, applicationId, at, sealed }
}

/** Undefined when the row cannot be decrypted. */
export async function decryptRevision(reader: ApplicantKey, row: RevisionRow): Promise<Revision | undefined> {
  const { number, at, isDraftRow } = row
  const found = await decryptJson(reader, row.sealed, contextOfRow(reader, row))
  if (found === undefined) return undefined
  const values = isDraftRow ? parseDraft(found, { tab: '', savedAt: at }).values : readForm(found)
  return { number, at, values }
}

/** A row that cannot be decrypted now may be readable later, so its ciphertext becomes a revision. None without a row. */
export function revisionsOfUnreadable(row: DraftRow | undefined): NewRevisionRow[] {
  if (!row) return []
  const { applicantId, applicationId, sealed, savedAt } = row
  return [{ applicantId, applicationId, at: savedAt, sealed, isDraftRow: true }]
}

export function revisionsOf(table: RevisionTable, { applicantId }: ApplicantKey, applicationId: string) {
  return table.where('[applicantId+applicationId]').equals([applicantId, applicationId])
}

/** What one attempt to write a draft does with the revisions. `freeFirst`: deletes the oldest half of the applicant's. */
export type RevisionWrite = { add: readonly NewRevisionRow[]; freeFirst: boolean }

/**
 * `written-alone`: the row without its revisions. `outdated`: nothing, because the row has changed or moved, or must not be
 * written.
 */
export type RowWrite = 'written' | 'written-alone' | 'outdated'

/**
 * Runs a write with its revisions; `write` resolves to false when it wrote nothing. When the storage is full, deletes the
 * oldest half of the applicant's revisions, those of all drafts together, and runs the write again. If that fails too, or
 * after any other fault, runs the write without new revisions: a revision must not prevent the save of the draft. But when
 * one of them is the ciphertext of a draft row that cannot be decrypted, throws instead. A write that hangs is not run again.
 * @throws StorageFault when a write hangs, or the draft, alone or with that ciphertext, cannot be written
 */
export async function writeWithRevisions(
  add: readonly NewRevisionRow[],
  write: (revisions: RevisionWrite) => Promise<boolean>,
): Promise<RowWrite> {
  const alone = { add: [], freeFirst: false }
  if (add.length === 0) return (await write(alone)) ? 'written' : 'outdated'
  for (const freeFirst of [false, true]) {
    try {
      return (await write({ add, freeFirst })) ? 'written' : 'outdated'
    } catch (error) {
      // A write that hangs may still be done by the browser.
      if (!(error instanceof StorageFault) || error.reason === 'hangs') throw error
      // This ciphertext is the last copy of its answers, which no page has in its memory.
      if (add.some(each => each.isDraftRow) && (freeFirst || error.reason !== 'full')) throw error
      if (error.reason !== 'full') break
    }
  }
  return (await write(alone)) ? 'written-alone' : 'outdated'
}

/** Adds revisions and deletes the oldest beyond the limits. Runs inside the transaction of the draft's write. */
export async function addRevisions(table: RevisionTable, { add, freeFirst }: RevisionWrite): Promise<void> {
  const [first] = add
  if (!first) return
  const { applicantId } = first
  const existing = await table.where({ applicantId }).sortBy('number')
  const freed = freeFirst ? Math.ceil(existing.length / 2) : 0
  const excess = new Set<NewRevisionRow>(excessRevisions([...existing.slice(freed), ...add]))
  const deleted = existing.filter((row, index) => index < freed || excess.has(row))
  await table.bulkDelete(deleted.map(({ number }) => number))
  await table.bulkAdd(add.filter(row => !excess.has(row)))
}

/** The oldest rows beyond the limits, never the newest row. `rows`: oldest first. */
function excessRevisions(rows: readonly NewRevisionRow[]): NewRevisionRow[] {
  const counts = new Map<string, number>()
  const excess: NewRevisionRow[] = []
  let bytes = 0
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index]
    if (!row) continue
    const count = (counts.get(row.applicationId) ?? 0) + 1
    counts.set(row.applicationId, count)
    bytes += row.sealed.text.byteLength
    const isNewest = index === rows.length - 1
    if (!isNewest && (count > maxRevisionsPerDraft || bytes > maxRevisionBytes)) excess.push(row)
  }
  return excess
}

export function contextOfRow(owner: ApplicantKey, row: RevisionRow): string {
  const { applicationId, isDraftRow, sealedAs = applicationId } = row
  return isDraftRow ? draftContextOf(owner, sealedAs) : contextOf(owner, sealedAs)
}

/** Encryption binds a revision to the applicant and the application, as it binds a draft. */
function contextOf(owner: ApplicantKey, applicationId: string): string {
  return `${draftContextOf(owner, applicationId)}/revision`
}

function draftContextOf({ applicantId }: ApplicantKey, applicationId: string): string {
  return `${applicantId}/${applicationId}`
}
