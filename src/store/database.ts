import { Dexie, type EntityTable, type Table } from 'dexie'

/** A sealed text and the one-time start value it was sealed with. */
export type Encrypted = { start: Uint8Array<ArrayBuffer>; text: ArrayBuffer }

/**
 * One row an applicant and application, unreadable without the key: the form as it was typed last, what the server
 * has of it, and what is on its way there. All in one row, so that no fault can part what was typed from what is
 * known about it.
 */
export type DraftRow = {
  applicantId: string
  applicationId: string
  sealed: Encrypted
  /** The tab the applicant was on. */
  tab: string
  /** Wall clock of the last keystroke that was kept. */
  savedAt: number
  /** Rises with every write: what was read earlier may have been overtaken. */
  revision: number
}

/** Where a form that was started without the line went once the server had a number for it (D33). */
export type MoveRow = { applicantId: string; localId: string; applicationId: string }

/** The key of the applicant who is signed in on this phone; gone after log-out (D31). */
export type KeyRow = { id: 'current'; applicantId: string; key: CryptoKey }

/** One thing the server last said of an applicant, unreadable without the key. */
export type SeenRow = { applicantId: string; name: string; sealed: Encrypted }

export type Database = Dexie & {
  drafts: Table<DraftRow, [string, string]>
  moves: Table<MoveRow, [string, string]>
  keys: EntityTable<KeyRow, 'id'>
  seen: Table<SeenRow, [string, string]>
}

const databaseName = 'portal'

/** Released versions are never edited: a change adds a version with its upgrade (D36). */
export function openDatabase(name = databaseName, factory?: IDBFactory): Database {
  // Strict: a row that was reported as kept also survives a power cut.
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
  return database
}
