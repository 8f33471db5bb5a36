import type { ApplicantKey } from './applicant-key.ts'
import type { Database, DraftRow, Encrypted, NewRevisionRow, ResponseRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { putDeletionMark, readDeletionId, removeDeletionMark } from './deletion-mark.ts'
import { type Draft, parseDraft } from './draft.ts'
import { decryptJson, encryptJson, isSameCiphertext } from './encryption.ts'
import {
  addRevisions,
  revisionsOf,
  type RevisionWrite,
  type RowWrite,
  writeWithRevisions,
} from './revision-rows.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * Revision and draft are undefined when there is no row. A row that cannot be decrypted is `unreadable`, without draft.
 * `revision`, here and in the types below, identifies the last write of the row. `revisions` are earlier answers (D63).
 */
export type ReadRow = {
  revision: number | undefined
  draft: Draft | undefined
  unreadable?: DraftRow | undefined
  /**
   * Without a row: the id of the last deletion of the application on this device; empty without one. Undefined when it is not
   * known.
   */
  deletionId?: string | undefined
}

type EncryptedDraft = { row: DraftRow; draft: Draft }

/** The new row of a draft that moves to another id, and the revision of both rows when they were read. */
type RowMove = {
  localId: string
  localRevision: number | undefined
  targetRevision: number | undefined
  /** Whether later writes under the old id go to the new one. */
  isForwarding: boolean
  next: EncryptedDraft
  /** Earlier answers, written in the same transaction as the move. Encrypted for the new id, except with `sealedAs`. */
  revisions: readonly NewRevisionRow[]
}

type RowChange = {
  /** The revision of the row when it was read; undefined when there was no row. */
  before: number | undefined
  next: EncryptedDraft | undefined
  /** Earlier answers, written in the same transaction as the row. */
  revisions: readonly NewRevisionRow[]
  /**
   * With it the write deletes all revisions of the draft and the rows of `seen` about the application, and adds this
   * mark.
   */
  deletionMark: ResponseRow | undefined
  /**
   * Without a row: the `deletionId` of the `ReadRow`. A new row removes the mark of that deletion, and is refused when
   * the mark has changed since.
   */
  deletionId: string | undefined
}

/** The encrypted rows of drafts. A function that uses the device's storage throws a `StorageFault` when that fails. */
export type DraftRows = {
  read: (reader: ApplicantKey, applicationId: string) => Promise<ReadRow>
  /** The rows of this applicant. Here a row that cannot be decrypted has neither `draft` nor `unreadable`. */
  readAll: (reader: ApplicantKey) => Promise<{ applicationId: string; row: ReadRow }[]>
  encrypt: (writer: ApplicantKey, applicationId: string, draft: Draft) => Promise<EncryptedDraft>
  /**
   * Writes or deletes a row. `outdated` when its revision is no longer `before`, the draft has moved or was deleted
   * since, or the guard refuses.
   */
  replace: (writer: ApplicantKey, applicationId: string, change: RowChange) => Promise<RowWrite>
  /** The id of the last deletion of the application on this device; empty without one. */
  readDeletionId: (reader: ApplicantKey, applicationId: string) => Promise<string>
  /** `outdated` when another write has changed one of the two rows since they were read, or the guard refuses. */
  move: (writer: ApplicantKey, move: RowMove) => Promise<RowWrite>
  /** The server's id of a draft that was moved; undefined when it was not. */
  findMove: (reader: ApplicantKey, localId: string) => Promise<string | undefined>
  /** The server's ids of all moved drafts, by their local ids. */
  readMoves: (reader: ApplicantKey) => Promise<ReadonlyMap<string, string>>
  clearCache: () => void
}

type Parts = { database: Database; runOnDatabase: DatabaseRunner; mayWrite: WriteGuard['mayWrite'] }

export function createDraftRows({ database, runOnDatabase, mayWrite }: Parts): DraftRows {
  const { drafts, moves } = database
  const cache = createDecryptionCache()
  const readMarkId: DraftRows['readDeletionId'] = (reader, applicationId) =>
    runOnDatabase(() => readDeletionId(database, reader, applicationId))

  return {
    async read(reader, applicationId) {
      const found = await runOnDatabase(() => drafts.get([reader.applicantId, applicationId]))
      if (!found)
        return { revision: undefined, draft: undefined, deletionId: await readMarkId(reader, applicationId) }
      const draft = await cache.decrypt(reader, found)
      return { revision: found.revision, draft, unreadable: draft ? undefined : found }
    },
    async readAll(reader) {
      const { applicantId } = reader
      const rows = await runOnDatabase(() => drafts.where({ applicantId }).toArray())
      return Promise.all(
        rows.map(async row => ({
          applicationId: row.applicationId,
          row: { revision: row.revision, draft: await cache.decrypt(reader, row) },
        })),
      )
    },
    encrypt: encryptRow,
    async replace(writer, applicationId, change) {
      const result = await writeWithRevisions(change.revisions, revisions =>
        runOnDatabase(
          async () =>
            mayWrite(writer.applicantId) &&
            replaceRow(database, { writer, applicationId, change, revisions }),
        ),
      )
      if (result !== 'outdated' && change.next) cache.add(writer, change.next)
      return result
    },
    readDeletionId: readMarkId,
    move: (writer, move) =>
      writeWithRevisions(move.revisions, revisions =>
        runOnDatabase(
          async () =>
            mayWrite(writer.applicantId) && moveRow(database, writer, { ...move, write: revisions }),
        ),
      ),
    async findMove({ applicantId }, localId) {
      const move = await runOnDatabase(() => moves.get([applicantId, localId]))
      return move?.applicationId
    },
    async readMoves({ applicantId }) {
      const found = await runOnDatabase(() => moves.where({ applicantId }).toArray())
      return new Map(found.map(({ localId, applicationId }) => [localId, applicationId]))
    },
    clearCache: cache.clear,
  }
}

type RowReplacement = {
  writer: ApplicantKey
  applicationId: string
  change: RowChange
  revisions: RevisionWrite
}

function replaceRow(
  database: Database,
  { writer, applicationId, change, revisions }: RowReplacement,
): PromiseLike<boolean> {
  const { before, next, deletionMark, deletionId } = change
  const { drafts } = database
  const rowKey: [string, string] = [writer.applicantId, applicationId]
  const tables = [
    drafts,
    ...(deletionMark || revisions.add.length > 0 ? [database.revisions] : []),
    ...(before === undefined ? [database.moves] : []),
    ...(before === undefined || deletionMark ? [database.seen] : []),
  ]
  return database.transaction('rw', tables, async () => {
    const existing = await drafts.get(rowKey)
    if (existing?.revision !== before) return false
    // The draft has moved to the server's id since the caller looked: a new row here would never be sent.
    if (before === undefined && (await database.moves.get(rowKey))) return false
    if (before === undefined && next) {
      if ((await readDeletionId(database, writer, applicationId)) !== deletionId) return false
      await removeDeletionMark(database, writer, applicationId)
    }
    await addRevisions(database.revisions, revisions)
    if (deletionMark) {
      await revisionsOf(database.revisions, writer, applicationId).delete()
      await putDeletionMark(database, applicationId, deletionMark)
    }
    // The last write of a form that another tab still has open must not unlock the draft.
    if (next) await drafts.put({ ...next.row, ...lockOf(existing) })
    else await drafts.delete(rowKey)
    return true
  })
}

function moveRow(
  database: Database,
  mover: ApplicantKey,
  { localId, localRevision, targetRevision, isForwarding, next, write }: RowMove & { write: RevisionWrite },
): PromiseLike<boolean> {
  const { drafts, moves, revisions } = database
  const { applicantId } = mover
  const { applicationId } = next.row
  return database.transaction('rw', drafts, moves, revisions, database.seen, async () => {
    const local = await drafts.get([applicantId, localId])
    const existing = await drafts.get([applicantId, applicationId])
    if (local?.revision !== localRevision || existing?.revision !== targetRevision) return false
    // The server may answer the creation after the draft was locked (`lockOf`): the moved row stays locked.
    await drafts.put({ ...next.row, ...lockOf(local?.lockedAt === undefined ? existing : local) })
    await drafts.delete([applicantId, localId])
    await removeDeletionMark(database, mover, applicationId)
    // The draft may have moved away from this id before: two moves in a circle would forward a write for ever.
    await moves.delete([applicantId, applicationId])
    if (isForwarding) await moves.put({ applicantId, localId, applicationId })
    // Stays encrypted for the local id, so a revision that this key cannot decrypt moves too (D63).
    await revisionsOf(revisions, mover, localId).modify(row => {
      row.sealedAs ??= localId
      row.applicationId = applicationId
    })
    await addRevisions(revisions, write)
    return true
  })
}

/** The lock of a draft that a shared device keeps after the session (`LockedDrafts`). A row that is written again keeps it. */
function lockOf(row: DraftRow | undefined): Pick<DraftRow, 'lockedAt' | 'lockedBy'> {
  return { lockedAt: row?.lockedAt, lockedBy: row?.lockedBy }
}

type DecryptedRow = { key: CryptoKey | undefined; sealed: Encrypted; draft: Draft }

/** Keeps the last decrypted draft of each row, so that a row that has not changed is not decrypted again. */
function createDecryptionCache() {
  const decryptedRows = new Map<string, DecryptedRow>()

  async function decrypt(reader: ApplicantKey, row: DraftRow): Promise<Draft | undefined> {
    const rowId = rowIdOf(reader, row.applicationId)
    const known = decryptedRows.get(rowId)
    if (known && known.key === reader.key && isSameCiphertext(known.sealed, row.sealed)) return known.draft
    const found = await decryptJson(reader, row.sealed, rowId)
    if (found === undefined) return undefined
    const draft = parseDraft(found, row)
    decryptedRows.set(rowId, { key: reader.key, sealed: row.sealed, draft })
    return draft
  }

  return {
    decrypt,
    add(writer: ApplicantKey, { row, draft }: EncryptedDraft) {
      const rowId = rowIdOf(writer, row.applicationId)
      decryptedRows.set(rowId, { key: writer.key, sealed: row.sealed, draft })
    },
    clear: () => decryptedRows.clear(),
  }
}

async function encryptRow(
  writer: ApplicantKey,
  applicationId: string,
  draft: Draft,
): Promise<EncryptedDraft> {
  const { tab, savedAt, ...content } = draft
  const sealed = await encryptJson(writer.key, content, rowIdOf(writer, applicationId))
  const { applicantId } = writer
  return { draft, row: { applicantId, applicationId, sealed, tab, savedAt, revision: newRevision() } }
}

/** Random, so that no earlier write of this row has had the number, even if the row was deleted since. */
function newRevision(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
}

/** Identifies one row of one applicant; encryption binds the ciphertext to it. */
export function rowIdOf({ applicantId }: ApplicantKey, applicationId: string): string {
  return `${applicantId}/${applicationId}`
}
