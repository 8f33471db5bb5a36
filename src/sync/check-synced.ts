import type { SyncStatus } from './sync-status.ts'

/** Whether an applicant may confirm, pay or book now, and why not (D33, OFF08, OFF09). */
export type SyncedCheck = { kind: 'allowed' } | { kind: 'offline' } | { kind: 'unsent' }

/** Confirming, paying and booking need the server, and the server must have all that the applicant typed. */
export function checkSynced({ offline, unsent }: { offline: boolean; unsent: number }): SyncedCheck {
  if (offline) return { kind: 'offline' }
  return unsent > 0 ? { kind: 'unsent' } : { kind: 'allowed' }
}

/** 1 when the server accepts this draft and does not have it yet, otherwise 0 (D33). */
export function countUnsent({ kind }: SyncStatus): number {
  return kind === 'none' || kind === 'saved' || kind === 'sent' || kind === 'not-saved' ? 0 : 1
}

/**
 * Whether a wipe of this device would delete answers that the server does not have, accepted or not (D31). With another
 * `serverEpoch` than the draft's, the server was restored from a backup and may have lost what it had accepted (D62).
 */
export function isOnlyOnDevice(status: SyncStatus, serverEpoch?: string): boolean {
  if (status.kind !== 'sent') return status.kind !== 'none'
  const draftEpoch = status.draft.base?.epoch
  return draftEpoch !== undefined && serverEpoch !== undefined && draftEpoch !== serverEpoch
}
