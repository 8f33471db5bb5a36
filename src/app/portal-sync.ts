import { digestOfForm } from '#contract/save-digest.ts'
import { setOnlyInPage } from '#device/unload-warning.ts'
import { createSync, type Sync } from '#sync/engine.ts'
import type { Services } from './services.ts'
import { handleSyncEvent, type SyncEventParts } from './sync-events.ts'

export type PortalSyncParts = Pick<
  Services,
  'device' | 'call' | 'session' | 'connectivity' | 'openStore' | 'serverInfo'
> &
  Pick<SyncEventParts, 'notices' | 'responseCache'> & {
    loaded: () => SyncEventParts['loaded']
    router: () => SyncEventParts['router']
    applicantId: () => SyncEventParts['applicantId']
  }

/**
 * Creates the sync engine of the portal. This file and the engine load when a session opens, or when a function of
 * `createLazySync` first needs the engine, because the sign-in pages need neither.
 */
export function createPortalSync(parts: PortalSyncParts): Sync {
  const { device, call, session, connectivity, notices, responseCache } = parts
  return createSync({
    device,
    random: () => Math.random(),
    openDrafts: async () => (await parts.openStore()).drafts,
    call,
    session,
    connectivity,
    acceptsDrafts: async () => (await parts.serverInfo.readAny())?.features.includes('drafts'),
    serverEpoch: async () => (await parts.serverInfo.readAny())?.epoch,
    digestOfForm,
    onEvent: event =>
      handleSyncEvent({
        event,
        notices,
        loaded: parts.loaded(),
        router: parts.router(),
        responseCache,
        applicantId: parts.applicantId(),
      }),
    setOnlyInPage,
  })
}
