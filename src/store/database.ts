import { Dexie, type EntityTable, type Table } from 'dexie'

/** A sealed text and the one-time start value it was sealed with. */
export type Sealed = { start: Uint8Array<ArrayBuffer>; text: ArrayBuffer }

/** One row an applicant and application: the form as it was typed last, unreadable without the key. */
export type DraftRow = {
  applicantId: string
  applicationId: string
  sealed: Sealed
  /** The tab the applicant was on. */
  tab: string
  /** Wall clock of the last keystroke that was kept. */
  savedAt: number
}

/** The key of the applicant who is signed in on this phone; gone after log-out (D31). */
export type KeyRow = { id: 'current'; applicantId: string; key: CryptoKey }

export type Database = Dexie & {
  drafts: Table<DraftRow, [string, string]>
  keys: EntityTable<KeyRow, 'id'>
}

/** Released versions are never edited: a change adds a version with its upgrade (D36). */
export function openDatabase(name = 'portal'): Database {
  // Strict: a row that was reported as kept also survives a power cut.
  const database = new Dexie(name, { chromeTransactionDurability: 'strict' }) as Database // tables come with stores()
  database.version(1).stores({
    drafts: '[applicantId+applicationId], applicantId',
    keys: 'id',
  })
  return database
}
