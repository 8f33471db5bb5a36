import type { SyncStatus } from './sync-status.ts'

/** How many things the server does not have; what the gate asks (D33). */
export function countUnsent({ kind }: SyncStatus): number {
  return kind === 'none' || kind === 'kept' || kind === 'sent' || kind === 'not-kept' ? 0 : 1
}

/** Answers that the server does not have, whether or not it takes them yet: they go with this device's store. */
export function isOnlyOnDevice({ kind }: SyncStatus): boolean {
  return kind !== 'none' && kind !== 'sent'
}
