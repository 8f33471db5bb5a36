import type { Device } from '#device/device.ts'
import { openDatabase } from './database.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { createLastSeen, type LastSeen } from './last-seen.ts'
import { deriveKey } from './seal.ts'

/** What this device remembers beyond a preference. */
export type Store = {
  drafts: Drafts
  lastSeen: LastSeen
  /** Makes the signed-in applicant's sealed rows readable, until `lock`. */
  unlock(applicant: { applicantId: string; draftKey: string }): Promise<void>
  /** Log-out and inactivity: rows stay, unreadable until the same applicant signs in again. */
  lock(): Promise<void>
}

export function createStore(device: Device): Store {
  const database = openDatabase()
  return {
    drafts: createDrafts(database, () => device.now()),
    lastSeen: createLastSeen(database, () => database.keys.get('current')),
    async unlock({ applicantId, draftKey }) {
      const key = await deriveKey(draftKey, applicantId)
      await database.keys.put({ id: 'current', applicantId, key })
    },
    async lock() {
      await database.keys.clear()
    },
  }
}
