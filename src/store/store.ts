import type { Device } from '#device/device.ts'
import { type Database, openDatabase } from './database.ts'
import type { Draft } from './draft.ts'
import { createDrafts, type Drafts, type MergeDrafts } from './drafts.ts'
import { createDatabaseRunner } from './database-runner.ts'
import { createLastSeen, type LastSeen } from './last-seen.ts'
import type { Revision } from './revision-rows.ts'
import { createApplicantKeySource, type KeyLifetime, type KeyRequest } from './applicant-key.ts'

/** The encrypted data of the signed-in applicant on this device. */
export type Store = {
  drafts: Drafts
  /** The earlier answers of a draft, oldest first (D63). @throws StorageFault */
  revisions: (applicationId: string) => Promise<Revision[]>
  /** The newest earlier answers of each application that has no draft on this device (D63). @throws StorageFault */
  withoutDraft: () => Promise<{ applicationId: string; draft: Draft }[]>
  lastSeen: LastSeen
  /** Unlocks the rows of the applicant until `clearKey`. A storage fault is ignored, because the key is in memory too. */
  setKey(applicant: KeyRequest, lifetime: KeyLifetime): Promise<void>
  /** At a log-out and after inactivity: the rows stay, locked until the same applicant signs in again. */
  clearKey(): Promise<void>
}

type StoreDevice = Pick<Device, 'after' | 'monotonic' | 'now'>

export function createStore(device: Device, mergeDrafts: MergeDrafts): Store {
  return createStoreOn(openDatabase(), device, mergeDrafts)
}

export function createStoreOn(database: Database, device: StoreDevice, mergeDrafts: MergeDrafts): Store {
  const runOnDatabase = createDatabaseRunner(database, device)
  const keySource = createApplicantKeySource(database, runOnDatabase)
  const applicantKey = keySource.current
  const { clearMemory, revisions, withoutDraft, ...drafts } = createDrafts({
    database,
    runOnDatabase,
    applicantKey,
    mergeDrafts,
    now: () => device.now(),
  })
  return {
    drafts,
    revisions,
    withoutDraft,
    lastSeen: createLastSeen({ database, runOnDatabase, applicantKey }),
    setKey: (applicant, lifetime) => keySource.set(applicant, lifetime),
    async clearKey() {
      clearMemory()
      await keySource.clear()
    },
  }
}
