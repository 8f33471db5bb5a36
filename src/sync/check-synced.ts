import type { SyncStatus } from './sync-status.ts'

/** Whether an applicant may confirm, pay or book now, and why not (D33, OFF08, OFF09). */
export type SyncedCheck =
  | { kind: 'allowed' }
  | { kind: 'offline' }
  | { kind: 'unsent' }
  /** This device may have answers that the server does not have (D74). */
  | { kind: 'unreadable' }

type CheckParts = { offline: boolean; unsent: number; unreadable?: boolean }

/** Confirming, paying and booking need the server, and no answer may wait to be sent. */
export function checkSynced({ offline, unsent, unreadable = false }: CheckParts): SyncedCheck {
  if (offline) return { kind: 'offline' }
  if (unsent > 0) return { kind: 'unsent' }
  return { kind: unreadable ? 'unreadable' : 'allowed' }
}

const nobody = 0
const theSync = 1
const theApplicant = 2
/**
 * Who must act before the unsent answers of a draft reach the server. `nobody`: none wait to be sent, or this page knows of
 * none (`unreadable`, `not-saved`).
 */
const senderOf = {
  none: nobody,
  unreadable: nobody,
  'not-saved': nobody,
  saved: nobody,
  sent: nobody,
  unsent: theSync,
  sending: theSync,
  waiting: theSync,
  stuck: theApplicant,
  conflict: theApplicant,
} as const satisfies Record<SyncStatus['kind'], number>

/**
 * 1 when the draft has answers that must still reach the server, otherwise 0 (D33). A draft that the server has refused
 * counts as 1. Three statuses that count as 0 need a check of the caller: `saved`, while it is not known whether the
 * server accepts incomplete forms; `sent`, after a restore of the server (D62); and `unreadable`, always.
 */
export function countUnsent({ kind }: SyncStatus): number {
  return senderOf[kind] === nobody ? 0 : 1
}

/** Whether drafts wait to be sent, and the sync sends all of these without an act of the applicant. */
export function areSentAutomatically(drafts: readonly { status: SyncStatus }[]): boolean {
  const senders: number[] = drafts.map(({ status }) => senderOf[status.kind])
  return senders.includes(theSync) && !senders.includes(theApplicant)
}

/**
 * Whether a wipe of this device would delete answers that the server does not have (D31), or may not have, because the
 * device cannot read them (D74). Answers that the server does not accept count too. With another `serverEpoch` than the
 * draft's, the server was restored from a backup and may have lost what it had accepted (D62).
 */
export function isOnlyOnDevice(status: SyncStatus, serverEpoch?: string): boolean {
  if (status.kind !== 'sent') return status.kind !== 'none'
  const draftEpoch = status.draft.base?.epoch
  return draftEpoch !== undefined && serverEpoch !== undefined && draftEpoch !== serverEpoch
}
