import type { Device } from '#device/device.ts'
import type { Database, KeyRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deleteRows } from './delete-rows.ts'
import type { PageSession } from './applicant-key.ts'
import { reportMistake } from './on-fault.ts'
import { addPendingErase, readPendingErases, removePendingErase } from './pending-erases.ts'

type Parts = {
  database: Database
  runOnDatabase: DatabaseRunner
  device: Pick<Device, 'after' | 'readText' | 'saveText'>
  session: Pick<PageSession, 'id' | 'hasNewer'>
}

/**
 * Deletes every row that this device has of an applicant, with the keys (D112). After a log-out on a shared device the
 * locked drafts stay (drafts that only the next sign-in of their applicant can open), because another tab may have locked
 * them (D31). A text that survives a power cut marks what this device has not erased yet: one mark in each line.
 */
export type EraseApplicant = {
  /**
   * Erases this applicant, and what `finish` erases. When another tab has begun a newer session, erases this applicant
   * only if the key row names another one. @throws StorageFault
   */
  erase: (applicantId: string | undefined) => Promise<void>
  /**
   * Erases what is marked: the applicants of sessions that ended because their account was deleted, when the page was left
   * or its storage failed before, and those of `eraseSoon`. Erases no rows when the key of another session has replaced the
   * key of such a session.
   * @throws StorageFault. Then a later call tries again.
   */
  finish: () => Promise<void>
  /**
   * Erases this applicant of a shared device now, or at a later call of `finish` (D31). Writes no rows, so it needs no free
   * space. Erases nothing when the browser has a newer session (`hasNewer`), perhaps of the same applicant.
   * `mayBeReadable`: the device may have the key. @throws StorageFault when it cannot erase such rows now
   */
  eraseSoon: (applicantId: string, mayBeReadable: boolean) => Promise<void>
  /** The applicant has signed in again before the rows could be erased: they stay. */
  keepRowsOf: (applicantId: string) => void
  /** Whether the rows of this session are still to be erased, because its account was deleted. */
  isPending: (sessionId: string | undefined) => boolean
  /** Whether the rows of this applicant are still to be erased after a log-out. */
  isApplicantPending: (applicantId: string) => boolean
}

/**
 * A mark is the id of the session of a deleted account, or one of these words and the id of an applicant: `applicant` after a
 * log-out; `account` after the deletion of the account, on a device without the key of the session.
 */
const markOfApplicant = /^(applicant|account) /

export function createEraseApplicant({ database, runOnDatabase, device, session }: Parts): EraseApplicant {
  const hasMark = (mark: string) => readPendingErases(device).includes(mark)
  const isPending = (sessionId: string | undefined) => hasMark(sessionId ?? '')

  /**
   * Finds the applicant inside the transaction, because a sign-in in another tab may replace the key, or remove the mark, at
   * any time. The mark is not always saved: not for `erase`, nor where the browser refuses texts. Then the rows stay after a later
   * sign-in, unless the key says that another applicant has signed in.
   */
  async function eraseMarked(mark: string) {
    const isSaved = hasMark(mark)
    await runOnDatabase(() =>
      database.transaction('rw', database.tables, async () => {
        const row = await database.keys.get('current')
        const [, kind, id = ownerOf(row, mark)] = mark.split(markOfApplicant)
        const isOfOther = row !== undefined && row.applicantId !== id
        if (isSaved ? hasMark(mark) : isOfOther || !session.hasNewer())
          await deleteRows(database, each => each.applicantId === id, { keepsLocked: kind === 'applicant' })
      }),
    )
    removePendingErase(device, mark)
  }

  async function finish() {
    // Another tab may remove a mark while the one before is erased.
    for (const mark of readPendingErases(device)) if (hasMark(mark)) await eraseMarked(mark)
  }

  return {
    async erase(applicantId) {
      if (applicantId !== undefined) await eraseMarked(`account ${applicantId}`)
      await finish()
    },
    finish,
    async eraseSoon(applicantId, mayBeReadable) {
      if (session.hasNewer()) return
      const mark = `${isPending(session.id()) ? 'account' : 'applicant'} ${applicantId}`
      addPendingErase(device, mark)
      await eraseMarked(mark).catch(error => {
        reportMistake(error, device)
        if (mayBeReadable) throw error
      })
    },
    keepRowsOf(applicantId) {
      for (const kind of ['applicant', 'account']) removePendingErase(device, `${kind} ${applicantId}`)
    },
    isPending,
    isApplicantPending: applicantId => hasMark(`applicant ${applicantId}`),
  }
}

/** The applicant of this key, if it is of the session with this id. */
function ownerOf(row: KeyRow | undefined, sessionId: string): string | undefined {
  return (row?.sessionId ?? '') === sessionId ? row?.applicantId : undefined
}
