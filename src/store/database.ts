import { Dexie, type EntityTable, type Table } from 'dexie'

/** An AES-GCM ciphertext (`text`) and its initialisation vector (`start`), which is used once. */
export type Encrypted = { start: Uint8Array<ArrayBuffer>; text: ArrayBuffer }

/**
 * One row for each applicant and application. `sealed` has the typed form, the server's form and the running write together, so
 * that one write saves all of them or none.
 */
export type DraftRow = {
  applicantId: string
  applicationId: string
  /** The ciphertext of the other properties of the draft. */
  sealed: Encrypted
  /** The part of the form that was open, such as `GeneralData`. */
  tab: string
  /** As in `Draft`: wall clock, in milliseconds. */
  savedAt: number
  /**
   * Identifies the last write of this draft, so that a writer finds out that another tab of the browser wrote first. A
   * lock and a change of the key (D110) keep it. Random: a row that was deleted and written again must not look like
   * the one before. 0 in a row of version 1. Unrelated to the table `revisions`.
   */
  revision: number
  /**
   * The time of the lock in milliseconds (`lockTimeOf` in locked-drafts.ts). A shared device keeps this draft after the
   * session, until the same applicant signs in or seven days are over (D31). Undefined for all other drafts.
   */
  lockedAt?: number | undefined
  /**
   * The id of the session at whose end `lockedAt` was set, if it is known. Then another session of the applicant
   * unlocks the draft, and a page that starts in the same session does not.
   */
  lockedBy?: string | undefined
}

/** The server's id of a draft that was started offline (D33). */
type MoveRow = { applicantId: string; localId: string; applicationId: string }

/**
 * `current`: the key of the open session, deleted when the session ends (D31). `random:<applicant id>`: a key that no
 * server can send again, so it stays after the session (D67).
 */
export type KeyRow = {
  id: 'current' | `random:${string}`
  applicantId: string
  /** Undefined: the session has ended, and the rows of its deleted account are still to be erased (D112). */
  key: CryptoKey | undefined
  /** While the server changes its key, a second key, which only decrypts (D110). */
  previousKey?: CryptoKey | undefined
  /** The session that `current` belongs to; undefined for a session that began in an older release. */
  sessionId?: string | undefined
}

/**
 * One encrypted value or file about an applicant: a cached response, or a record such as a deletion request (LST15).
 * `time`: the server's time in the response, if it has one.
 */
export type ResponseRow = {
  applicantId: string
  name: string
  sealed: Encrypted
  time?: string | undefined
  /** Of a deletion mark: random, because the applicant may delete an application again after a restore of the server. */
  deletionId?: string | undefined
}

/** Earlier answers of a draft, encrypted. `number` increases with every revision on this device. */
export type RevisionRow = {
  number: number
  applicantId: string
  applicationId: string
  /** Wall clock of the revision, in milliseconds; of an `isDraftRow`, the `savedAt` of that row. */
  at: number
  sealed: Encrypted
  /**
   * `sealed` is the ciphertext of a draft's row that could not be decrypted when it was replaced, moved or discarded
   * (D63).
   */
  isDraftRow?: true | undefined
  /** The id under which `sealed` was encrypted, when the draft has moved to `applicationId` since. */
  sealedAs?: string | undefined
}

/** The database gives the number. */
export type NewRevisionRow = Omit<RevisionRow, 'number'>

export type Database = Dexie & {
  drafts: Table<DraftRow, [string, string]>
  moves: Table<MoveRow, [string, string]>
  keys: EntityTable<KeyRow, 'id'>
  /** The rows of responses.ts, under an older name. */
  seen: Table<ResponseRow, [string, string]>
  revisions: Table<RevisionRow, number, NewRevisionRow>
}

const databaseName = 'portal'

/** Never edit a released version: a change adds a version with its upgrade (D36). */
export function openDatabase(name = databaseName, factory?: IDBFactory): Database {
  // Strict durability: a row that was reported as saved survives a power cut.
  const options = { chromeTransactionDurability: 'strict' } as const
  const database = new Dexie(name, factory ? { ...options, indexedDB: factory } : options) as Database // tables come with stores()
  database.version(1).stores({
    drafts: '[applicantId+applicationId], applicantId',
    keys: 'id',
  })
  database
    .version(2)
    .stores({ moves: '[applicantId+localId]' })
    .upgrade(transaction =>
      transaction
        .table('drafts')
        .toCollection()
        .modify({ revision: 0 } satisfies Partial<DraftRow>),
    )
  database.version(3).stores({ seen: '[applicantId+name], applicantId' })
  // A draft of an older release gets its first row in `revisions` when a change needs one (revision-rule.ts).
  database.version(4).stores({ revisions: '++number, applicantId, [applicantId+applicationId]' })
  return database
}
