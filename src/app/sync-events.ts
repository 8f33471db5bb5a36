import type { QueryClient } from '@tanstack/react-query'
import type { SyncEvent } from '#sync/engine.ts'
import type { Notices } from './notices.ts'
import type { PortalRouter } from './routes.tsx'

type SyncEventParts = {
  event: SyncEvent
  notices: Notices
  /** None before the first screen that asks. */
  queryClient: QueryClient | undefined
  router: PortalRouter | undefined
}

/** What the screens have to know of what went on behind them. */
export function handleSyncEvent({ event, notices, queryClient, router }: SyncEventParts): void {
  switch (event.kind) {
    case 'created':
      void queryClient?.invalidateQueries({ queryKey: ['applications'] })
      return openUnderServerId(router, event)
    case 'sent':
      void queryClient?.invalidateQueries({ queryKey: ['application-data', event.applicationId] })
      // A Submit that was waiting has gone through (ERR10).
      if (event.complete) notices.raise('success', { key: 'notice.dataStored' })
      return
    case 'not-taken':
      return notices.raise('warning', { key: 'notice.uploadFailed' })
    case 'overruled':
      void queryClient?.invalidateQueries({ queryKey: ['application-data', event.applicationId] })
      return notices.raise('danger', { key: 'notice.overruled' })
  }
}

type Created = Extract<SyncEvent, { kind: 'created' }>

/** A form that is open goes on under its new address, as it stands. */
function openUnderServerId(
  router: PortalRouter | undefined,
  { localId, applicationId, applicationNumber }: Created,
): void {
  const [, screen, id, , tab] = router?.state.location.pathname.split('/') ?? []
  if (screen !== 'form' || id !== localId) return
  void router?.navigate({
    href: `/form/${applicationId}/${applicationNumber}/${tab ?? ''}`,
    replace: true,
  })
}
