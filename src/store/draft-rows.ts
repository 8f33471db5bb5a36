import type { ApplicantKey } from './applicant-key.ts'
import type { Database, DraftRow, Encrypted } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { type Draft, parseDraft } from './draft.ts'
import { decryptJson, encryptJson } from './encryption.ts'

/** Both undefined when there is no row; only the draft is undefined when the row cannot be decrypted. */
export type ReadRow = { revision: number | undefined; draft: Draft | undefined }

type EncryptedDraft = { row: DraftRow; draft: Draft }

/** The new place of a draft that moves to the server's id, and the revisions of both rows when they were read. */
type RowMove = {
  localId: string
  localRevision: number | undefined
  targetRevision: number | undefined
  next: EncryptedDraft
}

/** The encrypted rows of drafts. Every function throws a `StorageFault` when the storage of the device fails. */
export type DraftRows = {
  read: (reader: ApplicantKey, applicationId: string) => Promise<ReadRow>
  readAll: (reader: ApplicantKey) => Promise<{ applicationId: string; row: ReadRow }[]>
  encrypt: (writer: ApplicantKey, applicationId: string, draft: Draft) => Promise<EncryptedDraft>
  /** Replaces or deletes a row. False when its revision is no longer `before`: then nothing is written. */
  replace: (
    writer: ApplicantKey,
    applicationId: string,
    change: { before: number | undefined; next: EncryptedDraft | undefined },
  ) => Promise<boolean>
  /** False when one of the revisions has changed: then nothing is written. */
  move: (writer: ApplicantKey, move: RowMove) => Promise<boolean>
  /** The server's id of a draft that was moved; undefined when it was not. */
  findMove: (reader: ApplicantKey, localId: string) => Promise<string | undefined>
  clearCache: () => void
}

type Parts = { database: Database; runOnDatabase: DatabaseRunner }

export function createDraftRows({ database, runOnDatabase }: Parts): DraftRows {
  const { drafts, moves } = database
  const cache = createDecryptionCache()

  return {
    async read(reader, applicationId) {
      const found = await runOnDatabase(() => drafts.get([reader.applicantId, applicationId]))
      return { revision: found?.revision, draft: found && (await cache.decrypt(reader, found)) }
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
    async replace(writer, applicationId, { before, next }) {
      const rowKey: [string, string] = [writer.applicantId, applicationId]
      const isReplaced = await runOnDatabase(() =>
        database.transaction('rw', drafts, async () => {
          const existing = await drafts.get(rowKey)
          if (existing?.revision !== before) return false
          if (next) await drafts.put({ ...next.row, revision: (before ?? 0) + 1 })
          else await drafts.delete(rowKey)
          return true
        }),
      )
      if (isReplaced && next) cache.add(writer, next)
      return isReplaced
    },
    move: (writer, move) => runOnDatabase(() => moveRow(database, writer, move)),
    async findMove({ applicantId }, localId) {
      const move = await runOnDatabase(() => moves.get([applicantId, localId]))
      return move?.applicationId
    },
    clearCache: cache.clear,
  }
}

function moveRow(
  database: Database,
  { applicantId }: ApplicantKey,
  { localId, localRevision, targetRevision, next }: RowMove,
): PromiseLike<boolean> {
  const { drafts, moves } = database
  const { applicationId } = next.row
  return database.transaction('rw', drafts, moves, async () => {
    const local = await drafts.get([applicantId, localId])
    const existing = await drafts.get([applicantId, applicationId])
    if (local?.revision !== localRevision || existing?.revision !== targetRevision) return false
    await drafts.put({ ...next.row, revision: (existing?.revision ?? 0) + 1 })
    await drafts.delete([applicantId, localId])
    await moves.put({ applicantId, localId, applicationId })
    return true
  })
}

type DecryptedRow = { key: CryptoKey | undefined; sealed: Encrypted; draft: Draft }

/** Keeps the last decrypted draft of each row, so that a row that has not changed is not decrypted again. */
function createDecryptionCache() {
  const decryptedRows = new Map<string, DecryptedRow>()

  async function decrypt(reader: ApplicantKey, row: DraftRow): Promise<Draft | undefined> {
    const rowId = rowIdOf(reader, row.applicationId)
    const known = decryptedRows.get(rowId)
    if (known && known.key === reader.key && isSameCiphertext(known.sealed, row.sealed)) return known.draft
    const found = await decryptJson(reader.key, row.sealed, rowId)
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

/** Compares every byte: a damaged row must not be taken from the cache. */
function isSameCiphertext(one: Encrypted, other: Encrypted): boolean {
  return indexedDB.cmp(one.start, other.start) === 0 && indexedDB.cmp(one.text, other.text) === 0
}

async function encryptRow(
  writer: ApplicantKey,
  applicationId: string,
  draft: Draft,
): Promise<EncryptedDraft> {
  const { tab, savedAt, ...sealed } = draft
  const encrypted = await encryptJson(writer.key, sealed, rowIdOf(writer, applicationId))
  const { applicantId } = writer
  return { draft, row: { applicantId, applicationId, sealed: encrypted, tab, savedAt, revision: 1 } }
}

/** Identifies one row of one applicant; encryption binds the ciphertext to it. */
export function rowIdOf({ applicantId }: ApplicantKey, applicationId: string): string {
  return `${applicantId}/${applicationId}`
}
