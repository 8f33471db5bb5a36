import type { Device } from '#device/device.ts'
import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { pendingEraseKey } from './device-use.ts'

type Parts = {
  database: Database
  runOnDatabase: DatabaseRunner
  device: Pick<Device, 'readText' | 'saveText'>
}

/** Deletes every row that this device has of an applicant, with the keys (D112). */
export type EraseApplicant = {
  /** Erases this applicant, and what `finish` erases. @throws StorageFault */
  erase: (applicantId: string | undefined) => Promise<void>
  /**
   * Erases the applicant of the session that ended because its account was deleted, when its page was left or its storage
   * failed before, and the applicant of `eraseSoon`. Erases no rows when the key of another session has replaced its key.
   * @throws StorageFault. Then a later call tries again.
   */
  finish: () => Promise<void>
  /**
   * Erases this applicant of a shared device now, or at a later call of `finish` (D31). Deletes rows alone, so it needs no
   * space. `mayBeReadable`: the device may have the key. @throws StorageFault when it cannot erase such rows now
   */
  eraseSoon: (applicantId: string, mayBeReadable: boolean) => Promise<void>
  /** The applicant has signed in again before the rows could be erased: they stay. */
  keepRowsOf: (applicantId: string) => void
  /** Whether the rows of this session are still to be erased. */
  isPending: (sessionId: string | undefined) => boolean
}

/** Stands before the id of an applicant; every other pending text is the id of a session. */
const applicantPrefix = 'applicant '

export function createEraseApplicant({ database, runOnDatabase, device }: Parts): EraseApplicant {
  const { drafts, moves, keys, seen, revisions } = database
  const pendingId = () => device.readText(pendingEraseKey)
  const isPending = (sessionId: string | undefined) => pendingId() === (sessionId ?? '')

  /** Finds the applicant inside the transaction, because a sign-in in another tab may replace the key at any time. */
  function eraseFound(findId: () => Promise<string | undefined>): Promise<void> {
    return runOnDatabase(() =>
      database.transaction('rw', [drafts, moves, keys, seen, revisions], async () => {
        const applicantId = await findId()
        if (applicantId === undefined) return
        for (const table of [drafts, seen, revisions]) await table.where({ applicantId }).delete()
        for (const table of [moves, keys]) await table.filter(row => row.applicantId === applicantId).delete()
      }),
    )
  }

  async function finish() {
    const endedId = pendingId()
    if (endedId === undefined) return
    await eraseFound(async () => {
      const row = await keys.get('current')
      // Read in the transaction: the applicant may have signed in again in another tab.
      if (pendingId() !== endedId) return undefined
      if (endedId.startsWith(applicantPrefix)) return endedId.slice(applicantPrefix.length)
      return row && (row.sessionId ?? '') === endedId ? row.applicantId : undefined
    })
    // Another page may have saved the id of another session.
    if (pendingId() === endedId) device.saveText(pendingEraseKey, undefined)
  }

  async function erase(applicantId: string | undefined) {
    if (applicantId !== undefined) await eraseFound(async () => applicantId)
    await finish()
  }

  return {
    erase,
    finish,
    async eraseSoon(applicantId, mayBeReadable) {
      device.saveText(pendingEraseKey, applicantPrefix + applicantId)
      await erase(applicantId).catch(error => {
        if (mayBeReadable) throw error
      })
    },
    keepRowsOf(applicantId) {
      if (pendingId() === applicantPrefix + applicantId) device.saveText(pendingEraseKey, undefined)
    },
    isPending,
  }
}
