/** What stands in the way of confirming, paying and booking (D33, OFF08, OFF09). */
export type SyncedCheck = { kind: 'open' } | { kind: 'offline' } | { kind: 'unsent' }

/** Live writes wait for the line, and start only when nothing that was typed is left unsent. */
export function checkSynced({ offline, unsent }: { offline: boolean; unsent: number }): SyncedCheck {
  if (offline) return { kind: 'offline' }
  return unsent > 0 ? { kind: 'unsent' } : { kind: 'open' }
}
