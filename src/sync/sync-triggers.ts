import type { SyncParts } from './sync-parts.ts'

type Parts = Pick<SyncParts, 'session' | 'connectivity' | 'device'> & {
  /** `urgent` ignores the backoff. */
  syncAll: (options: { urgent: boolean }) => void
}

/** Syncs all applications now, after each new token, when the service is reachable again and when the page is shown again. */
export function watchSyncTriggers({ session, connectivity, device, syncAll }: Parts): void {
  let token = session.token()
  // The engine is loaded on demand, so the applicant may have signed in before.
  syncAll({ urgent: true })
  session.subscribe(() => {
    const tokenBefore = token
    token = session.token()
    if (token === undefined || token === tokenBefore) return
    // After a refresh the sync sends what the server refused with the expired token, but waits for the backoff.
    syncAll({ urgent: tokenBefore === undefined })
  })
  connectivity.subscribe(() => {
    if (!connectivity.isUnreachable()) syncAll({ urgent: true })
  })
  device.onPageVisible(() => syncAll({ urgent: true }))
}
