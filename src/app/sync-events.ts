import type { QueryClient } from '@tanstack/react-query'
import type { ResponseCache } from '#api/cached-call.ts'
import { addToCachedList } from '#api/cached-list.ts'
import type { Queries } from '#api/queries.ts'
import type { SyncEvent } from '#sync/engine.ts'
import type { Notices } from './notices.ts'
import type { PortalRouter } from './routes.tsx'

export type SyncEventParts = {
  event: SyncEvent
  notices: Notices
  /** Undefined until the queries have loaded. */
  loaded: { queries: Queries; queryClient: QueryClient } | undefined
  responseCache: Pick<ResponseCache, 'read' | 'write'>
  /** Undefined when the session has ended. */
  applicantId: string | undefined
  router: PortalRouter | undefined
}

/** Updates the screens after an event of the sync engine: refetches queries, shows a notice or changes the address. */
export function handleSyncEvent(parts: SyncEventParts): void {
  const { event, notices } = parts
  switch (event.kind) {
    case 'created':
      return void openCreated(parts, event)
    // A draft has moved to its id on the server, perhaps in another tab: the server's list may have a new application.
    case 'moved':
      return invalidate(parts, ['applications'])
    case 'sent':
      invalidate(parts, ['applicationData', event.applicationId])
      notices.end('notice.unsent')
      // `complete`: the server has accepted a Submit, at once or after a wait for the connection (ERR10).
      if (event.complete) notices.raise('success', { key: 'notice.dataStored' })
      return
    case 'not-accepted':
      return notices.raise('warning', { key: 'notice.uploadFailed' })
    case 'replaced':
      invalidate(parts, ['applicationData', event.applicationId])
      return notices.raise('danger', { key: 'notice.overruled' })
    case 'lost-by-server':
      invalidate(parts, ['applicationData', event.applicationId])
      return notices.raise('warning', { key: 'notice.restored' })
    case 'removed':
      return leaveForm(parts.router, event.applicationId)
  }
}

function invalidate(
  { loaded }: SyncEventParts,
  key: Parameters<Queries['keyOf']>,
  options?: { refetchType: 'none' },
): void {
  void loaded?.queryClient.invalidateQueries({ queryKey: loaded.queries.keyOf(...key), ...options })
}

type Created = Extract<SyncEvent, { kind: 'created' }>

async function openCreated(parts: SyncEventParts, event: Created): Promise<void> {
  const { responseCache, applicantId, router } = parts
  // An answer without the application is old, also one that still arrives: the next guard must read the list again.
  invalidate(parts, ['applications'], { refetchType: 'none' })
  // If the connection is lost now, the guard of the form finds the application in the cached list.
  const { applicationId, applicationNumber } = event
  if (applicantId !== undefined)
    await addToCachedList(responseCache, applicantId, {
      id: applicationId,
      applicationNumber,
    })
  invalidate(parts, ['applications'])
  return openUnderServerId(router, event)
}

/** Replaces the local id in the address of the open form. The page keeps its fields, focus and scroll position. */
async function openUnderServerId(
  router: PortalRouter | undefined,
  { localId, applicationId, applicationNumber }: Created,
): Promise<void> {
  const addressOf = (tab = '') => `/form/${applicationId}/${applicationNumber}/${tab}`
  if (findOpenForm(router).id !== localId) return
  // The guard of this address reads the list of applications. Without this preload, on a slow connection, the router
  // would hide the form until the answer: the field would lose the focus and the last characters.
  const params = { appId: applicationId, appNumber: applicationNumber }
  await router?.preloadRoute({ to: '/form/$appId/$appNumber/GeneralData', params })
  const current = findOpenForm(router)
  if (current.id !== localId) return
  await router?.navigate({ href: addressOf(current.tab), replace: true, resetScroll: false })
}

/** If the form of the deleted application is open now, opens the list, which shows the deletion (LST11). */
function leaveForm(router: PortalRouter | undefined, applicationId: string): void {
  if (findOpenForm(router).id === applicationId) void router?.navigate({ to: '/procedure', replace: true })
}

/** Returns the application and the tab of the form in the address; nothing on another screen. */
function findOpenForm(router: PortalRouter | undefined): {
  id?: string | undefined
  tab?: string | undefined
} {
  const [, screen, id, , tab] = router?.state.location.pathname.split('/') ?? []
  return screen === 'form' ? { id, tab } : {}
}
