import type { Device } from '#device/device.ts'
import { type Beneficiaries, createBeneficiaries } from './beneficiaries.ts'
import { type Database, openDatabase } from './database.ts'
import type { Draft } from './draft.ts'
import { createDrafts, type Drafts, type MergeDrafts } from './drafts.ts'
import { createDatabaseRunner } from './database-runner.ts'
import { createDeletionRequests, type DeletionRequests } from './deletion-requests.ts'
import { createEraseApplicant } from './erase-applicant.ts'
import { createResponses, type Responses } from './responses.ts'
import { createLockedDrafts, type LockedDrafts } from './locked-drafts.ts'
import type { Revision } from './revision-rows.ts'
import { reencryptRows } from './reencrypt-rows.ts'
import { renewDatabaseLog } from './renew-database-log.ts'
import { StorageFault } from './storage-fault.ts'
import { createWriteGuard } from './write-guard.ts'
import {
  createApplicantKeySource,
  type KeyLifetime,
  type KeyRequest,
  type PageSession,
} from './applicant-key.ts'

/** The encrypted data of the signed-in applicant on this device. */
export type Store = {
  drafts: Drafts
  /** The earlier answers of a draft that can be decrypted, oldest first (D63). @throws StorageFault */
  revisions: (applicationId: string) => Promise<Revision[]>
  /**
   * The newest earlier answers that can be decrypted, of each application that has no draft on this device (D63).
   * @throws StorageFault
   */
  withoutDraft: () => Promise<{ applicationId: string; draft: Draft }[]>
  responses: Responses
  deletionRequests: DeletionRequests
  beneficiaries: Beneficiaries
  /** The drafts that a shared device keeps for applicants whose session has ended (D31). */
  lockedDrafts: Omit<LockedDrafts, 'unlock'>
  /**
   * Gives this page the key of the applicant's rows until `clearKey`. Also finishes pending erases, encrypts again what
   * is under the previous key (D110), and unlocks the applicant's drafts (`LockedDrafts`). Storage faults are ignored,
   * because the key is in memory too. The only exception:
   * @throws StorageFault when the server sends no `draftKey` and the random key of this device cannot be read or saved
   * (D67)
   */
  setKey(applicant: KeyRequest & { issuedAtMs?: number }, lifetime: KeyLifetime): Promise<void>
  /**
   * Deletes all rows that this device has of the signed-in applicant, who requested the deletion of the account (D112).
   * They stay when a newer session in another tab may be one of the same applicant.
   * @throws StorageFault
   */
  erase(): Promise<void>
  /**
   * Erases what is still to be erased after the deletion of an account, or after a log-out on a shared device: the page of
   * that session was left, or its storage failed.
   * @throws StorageFault
   */
  finishErase(): Promise<void>
  /**
   * Runs at every end of a session. Forgets the key of this page and deletes its row, unless the row is of a newer
   * session. The drafts and a random key (D67) stay. With `keepsUnsaved` the answers that the storage could not take
   * stay in the memory of this page. `endsNewer`: the newest session of the browser has ended too, which may be one
   * that another tab had begun.
   */
  clearKey(options?: { keepsUnsaved: boolean; endsNewer?: boolean }): Promise<void>
}

type StoreDevice = Pick<Device, 'after' | 'monotonic' | 'now' | 'onBroadcast' | 'readText' | 'saveText'>

/** In this time the page reads its drafts. */
const renewLogDelayMs = 500

/** Of a page that has never had a session. */
const noSession: PageSession = { applicantId: () => undefined, id: () => undefined, hasNewer: () => false }

type StoreParts = { device: Device; mergeDrafts: MergeDrafts; session: PageSession }

export function createStore({ device, mergeDrafts, session }: StoreParts): Store {
  device.after(renewLogDelayMs, () => void renewDatabaseLog())
  return createStoreOn(openDatabase(), device, mergeDrafts, session)
}

export function createStoreOn(
  database: Database,
  device: StoreDevice,
  mergeDrafts: MergeDrafts,
  session: PageSession = noSession,
): Store {
  const runOnDatabase = createDatabaseRunner(database, {
    after: device.after,
    monotonic: device.monotonic,
    onRecovered: () => emitChange(),
  })
  const erasing = createEraseApplicant({ database, runOnDatabase, device, session })
  const keySource = createApplicantKeySource({ database, runOnDatabase, session, erasing })
  const applicantKey = keySource.current
  const guard = createWriteGuard()
  const rowParts = {
    database,
    runOnDatabase,
    applicantKey,
    mayWrite: guard.mayWrite,
    now: () => device.now(),
  }
  const { clearMemory, forgetOtherApplicants, emitChange, revisions, withoutDraft, ...drafts } = createDrafts(
    { ...rowParts, mergeDrafts, device },
  )
  const responses = createResponses(rowParts)
  const lockedDrafts = createLockedDrafts({ ...rowParts, device, guard, keySource, erasing, session })
  return {
    drafts,
    revisions,
    withoutDraft,
    responses,
    deletionRequests: createDeletionRequests({ responses, drafts }),
    beneficiaries: createBeneficiaries({ responses, drafts }),
    lockedDrafts,
    async setKey(applicant, lifetime) {
      guard.allow(applicant.applicantId)
      forgetOtherApplicants(applicant.applicantId)
      // Before the new key replaces the row that names the applicant.
      await erasing.finish().catch(ignoreStorageFault)
      erasing.keepRowsOf(applicant.applicantId)
      await keySource.set(applicant, lifetime)
      await reencryptRows({ database, runOnDatabase }, await keySource.current()).catch(ignoreStorageFault)
      await lockedDrafts.unlock(applicant.applicantId, applicant.issuedAtMs).catch(ignoreStorageFault)
    },
    async erase() {
      const owner = await keySource.current()
      guard.refuse()
      clearMemory({ keepsUnsaved: false })
      await erasing.erase(owner?.applicantId)
    },
    finishErase: erasing.finish,
    async clearKey({ keepsUnsaved, endsNewer = false } = { keepsUnsaved: false }) {
      clearMemory({ keepsUnsaved })
      await keySource.clear(endsNewer)
    },
  }
}

/**
 * A draft that stays locked can be opened all the same. The wipe of a shared device keeps it, until a later sign-in
 * unlocks it or `deleteExpired` deletes it. Rows to erase stay until a later `finish`. A row that stays under the
 * previous key can be opened too, and a later `setKey` encrypts it again.
 */
function ignoreStorageFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}
