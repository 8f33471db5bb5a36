import type { Device } from '#device/device.ts'
import type { ApplicantKey, ApplicantKeySource, PageSession } from './applicant-key.ts'
import type { Database, DraftRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { deleteRows, isLocked, revisionsByDraft, rowKeyOf } from './delete-rows.ts'
import type { EraseApplicant } from './erase-applicant.ts'
import { reportMistake } from './on-fault.ts'
import type { WriteGuard } from './write-guard.ts'

/**
 * Drafts that a shared device keeps after the session of their applicant: after inactivity those that could not be sent;
 * after a crash, and when the server has refused the session or another one has replaced it, all of them. They are
 * encrypted, and only the next sign-in of the same applicant opens them: the key is gone (D31), except the random key that no
 * server can send again (D67). @throws StorageFault
 */
export type LockedDrafts = {
  /**
   * Locks these drafts of the applicant of this page, also under the server's id to which a draft has moved. Resolves
   * to whether the device has at least one of them.
   */
  lock(applicationIds: readonly string[]): Promise<boolean>
  /**
   * Makes the drafts of this applicant usual drafts again, except those that the end of this same session has locked: a tab
   * that starts during that log-out would unlock them, and then delete them when it clears the device too. `issuedAtMs`: the
   * server's time when it issued the session's token. The clock of a device without a battery may be years behind, and then a
   * draft that it locks would be too old at once.
   */
  unlock(applicantId: string, issuedAtMs?: number): Promise<void>
  /**
   * Locks the drafts of all applicants except the one of this page and those who are still to be erased after a
   * log-out, so that `deleteAllButLocked` keeps them.
   */
  lockDraftsOfOtherApplicants(): Promise<void>
  /** Whether the device holds locked drafts of any applicant. */
  exist(): Promise<boolean>
  /**
   * Deletes every row except the locked drafts, their revisions and the random keys that open them (D67). First locks
   * what other applicants have saved in another tab since, or what could not be locked before; without
   * `keepsOwnLocked`, unlocks what an unfinished log-out of this session has locked. From the call on, this page writes
   * no row until the next sign-in. Resolves to whether there are locked drafts. `keepsOwnLocked`: the portal has
   * promised that drafts stay, or the visit has written none, so a failure erases no rows. No draft stays of an
   * applicant whose account was deleted in this session (D112).
   *
   * When the storage fails, it erases the last applicant of this page alone, now or later, and resolves to true: the
   * database may hold locked drafts of others. It throws when it cannot erase rows now whose key the device may still
   * have, when this page knows no applicant, and with `keepsOwnLocked`.
   *
   * When another tab has begun a session during the log-out, it deletes and locks nothing, and resolves to true: the
   * session may be one of the same applicant.
   */
  deleteAllButLocked(options: { keepsOwnLocked: boolean }): Promise<boolean>
  /**
   * Deletes the drafts that have been locked for too long, with their revisions. `serverTime`: ISO 8601. A device clock that
   * is days ahead must not delete them, so it counts only with a server that does not tell its time (undefined).
   */
  deleteExpired(serverTime: string | undefined): Promise<void>
}

/** An applicant has a week to come back to the device; after that the device must hold nothing of the applicant. */
export const lockedDraftDays = 7

const dayMs = 24 * 60 * 60_000

/**
 * From the lock to the end of the session. When the session continues for longer, the tab that locked counts as
 * crashed.
 */
const longestLogoutMs = 60_000

type Parts = {
  database: Database
  device: Pick<Device, 'after'>
  runOnDatabase: DatabaseRunner
  applicantKey: () => Promise<ApplicantKey | undefined>
  keySource: Pick<ApplicantKeySource, 'lastApplicantId' | 'mayBeSaved'>
  erasing: Pick<EraseApplicant, 'eraseSoon' | 'isPending' | 'isApplicantPending'>
  session: Pick<PageSession, 'hasNewer' | 'id'>
  guard: Pick<WriteGuard, 'refuse'>
  now: () => number
}

type LockedRows = { rowKeys: [string, string][]; lockedAt: number; lockedBy: string | undefined }

const noLock = { lockedAt: undefined, lockedBy: undefined }

const noRows: LockedRows = { rowKeys: [], lockedAt: 0, lockedBy: undefined }

export function createLockedDrafts(parts: Parts): LockedDrafts {
  const { database, runOnDatabase, applicantKey, keySource, erasing, now } = parts
  const { drafts, moves } = database
  /**
   * What this page has locked. The wipe locks it again, because without a session id a tab that starts then unlocks it.
   */
  let lockedHere = noRows
  let lastIssuedAtMs: number | undefined
  const lockTimeMs = () => lockTimeOf(now(), lastIssuedAtMs)

  return {
    async lock(applicationIds) {
      const owner = await applicantKey()
      if (!owner) return false
      const { applicantId } = owner
      const count = await runOnDatabase(() =>
        database.transaction('rw', drafts, moves, async () => {
          const rowKeys = await rowKeysWithMoves(moves, applicantId, applicationIds)
          lockedHere = { rowKeys, lockedAt: lockTimeMs(), lockedBy: parts.session.id() }
          return lockRows(drafts, lockedHere)
        }),
      )
      return count > 0
    },
    async unlock(applicantId, issuedAtMs = 0) {
      const sessionId = parts.session.id()
      if (mayUnlock(lockedHere, sessionId)) lockedHere = noRows
      lastIssuedAtMs = issuedAtMs
      await runOnDatabase(() => unlockRows(drafts, applicantId, sessionId))
    },
    async lockDraftsOfOtherApplicants() {
      const owner = await applicantKey()
      // Without a key the page still knows its applicant.
      const others = unlockedOfOthers(parts, owner?.applicantId ?? keySource.lastApplicantId())
      await runOnDatabase(() => others.modify({ lockedAt: lockTimeMs() }))
    },
    exist: async () => (await runOnDatabase(() => drafts.filter(isLocked).count())) > 0,
    async deleteAllButLocked({ keepsOwnLocked }) {
      parts.guard.refuse()
      try {
        return await runOnDatabase(() =>
          database.transaction('rw', database.tables, () =>
            deleteUnlocked(parts, { keepsOwnLocked, lockedHere, lockedAt: lockTimeMs() }),
          ),
        )
      } catch (error) {
        reportMistake(error, parts.device)
        const leavingId = keySource.lastApplicantId()
        if (keepsOwnLocked || leavingId === undefined) throw error
        await erasing.eraseSoon(leavingId, keySource.mayBeSaved(leavingId))
        return true
      }
    },
    deleteExpired: serverTime => runOnDatabase(() => deleteExpiredRows(database, serverTime, now())),
  }
}

type Wipe = {
  keepsOwnLocked: boolean
  lockedHere: LockedRows
  /** The time of the lock that the drafts of other applicants get. */
  lockedAt: number
}

async function deleteUnlocked(
  parts: Parts,
  { keepsOwnLocked, lockedHere, lockedAt }: Wipe,
): Promise<boolean> {
  const { database, erasing, keySource, session } = parts
  if (session.hasNewer()) return true
  const { drafts } = database
  const ownId = keySource.lastApplicantId()
  // The account was deleted, and the erase has failed. On a shared device no key names the applicant, so no later erase knows
  // whose rows they are (D112).
  if (erasing.isPending(session.id()))
    await deleteRows(database, ({ applicantId }) => applicantId === ownId, { keepsLocked: false })
  if (!keepsOwnLocked) await unlockAfterCrash(drafts, ownId, { sessionId: session.id(), nowMs: parts.now() })
  await lockRows(drafts, lockedHere)
  await unlockedOfOthers(parts, ownId).modify({ lockedAt })
  return deleteRows(database, () => true, { keepsLocked: true })
}

/** Without the drafts of applicants who have logged out and are still to be erased. */
function unlockedOfOthers(
  { database, erasing }: Pick<Parts, 'database' | 'erasing'>,
  ownId: string | undefined,
) {
  return database.drafts.filter(
    row => row.applicantId !== ownId && !isLocked(row) && !erasing.isApplicantPending(row.applicantId),
  )
}

/**
 * `issuedAtMs`: undefined before a sign-in, when this page knows no time of the server. The time is then far in the
 * future, so that `deleteExpired` counts the days from its first run after the lock.
 */
function lockTimeOf(nowMs: number, issuedAtMs: number | undefined): number {
  return issuedAtMs === undefined ? Number.MAX_SAFE_INTEGER : Math.max(nowMs, issuedAtMs)
}

function lockRows(drafts: Database['drafts'], { rowKeys, ...lock }: LockedRows): PromiseLike<number> {
  return drafts.where(':id').anyOf(rowKeys).modify(lock)
}

function unlockRows(drafts: Database['drafts'], applicantId: string, sessionId: string | undefined) {
  const locked = drafts.where({ applicantId }).filter(row => mayUnlock(row, sessionId))
  return locked.modify(noLock)
}

/**
 * Unlocks the drafts that an unfinished log-out of this session locked more than a minute ago: this log-out decides
 * about them as about the rest. `nowMs`: the clock of the device, not `lockTimeOf`: where the clock is behind,
 * `lockTimeOf` gives the `issuedAtMs` of the tab's last `unlock`. This time differs between tabs, so a lock that
 * another tab has just set could look old.
 */
async function unlockAfterCrash(
  drafts: Database['drafts'],
  ownId: string | undefined,
  { sessionId, nowMs }: { sessionId: string | undefined; nowMs: number },
): Promise<void> {
  const lockedBefore = drafts.filter(
    ({ applicantId, lockedBy, lockedAt = nowMs }) =>
      applicantId === ownId &&
      lockedBy !== undefined &&
      lockedBy === sessionId &&
      nowMs - lockedAt > longestLogoutMs,
  )
  await lockedBefore.modify(noLock)
}

function mayUnlock({ lockedBy }: Pick<DraftRow, 'lockedBy'>, sessionId: string | undefined): boolean {
  return lockedBy === undefined || lockedBy !== sessionId
}

/** Also under the server's id to which a draft has moved. */
async function rowKeysWithMoves(moves: Database['moves'], applicantId: string, localIds: readonly string[]) {
  const found = await moves.bulkGet(localIds.map(localId => [applicantId, localId]))
  const movedTo = found.flatMap(move => (move ? [move.applicationId] : []))
  return [...localIds, ...movedTo].map((id): [string, string] => [applicantId, id])
}

function deleteExpiredRows(
  database: Database,
  serverTime: string | undefined,
  deviceMs: number,
): PromiseLike<void> {
  const { drafts, revisions } = database
  const nowMs = serverTime === undefined ? deviceMs : Date.parse(serverTime)
  return database.transaction('rw', drafts, revisions, async () => {
    const expired = (await drafts.toArray()).filter(row => isExpired(row, nowMs)).map(rowKeyOf)
    await drafts.bulkDelete(expired)
    await revisionsByDraft(revisions).anyOf(expired).delete()
    // The clock was ahead when the draft was locked, or no time of the server was known: the days begin now.
    await drafts.filter(({ lockedAt = 0 }) => lockedAt > nowMs).modify({ lockedAt: nowMs })
  })
}

function isExpired({ lockedAt }: DraftRow, nowMs: number): boolean {
  return lockedAt !== undefined && nowMs - lockedAt > lockedDraftDays * dayMs
}
