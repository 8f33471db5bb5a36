import type { QueryClient } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import type { Call } from '#api/client.ts'
import type { CachedRequest, RequestState } from '#api/cached-request.ts'
import type { Queries } from '#api/queries.ts'
import type { CaptchaOffer, ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import type { LanguageSource } from '#i18n/language.ts'
import type { Session } from '#session/session.ts'
import type { DeviceUseSource } from '#store/device-use.ts'
import type { Store } from '#store/store.ts'
import type { Sync } from '#sync/engine.ts'
import type { Connectivity } from '#sync/connectivity.ts'
import type { Receipts } from '#sync/receipts.ts'
import type { PendingWrites } from '#sync/pending-writes.ts'
import type { Notices } from './notices.ts'

/** Here wherever a session is needed; to read them before is a fault (openAnswers). */
export type QueryServices = { readonly queries: Queries; readonly queryClient: QueryClient }

/** Everything the portal runs on, built once in create-portal.tsx. */
export type Services = QueryServices & {
  device: Device
  language: LanguageSource
  notices: Notices
  /** Opens the store on first need, so that the sign-in pages do without it. */
  openStore(): Promise<Store>
  connectivity: Connectivity
  /** Awaited before the page is reloaded or left by a log-out. */
  pendingWrites: PendingWrites
  call: Call
  /** What the server says of itself (S16). */
  serverInfo: CachedRequest<ServerInfo>
  /** Which captcha the server wants; asked for only once it wants one. */
  captchaOffer: CachedRequest<CaptchaOffer>
  /** Fetches what keeps the answers of all other calls: the sign-in pages do without. */
  openQueries: () => Promise<QueryServices>
  session: Session
  sync: Sync
  receipts: Receipts
  deviceUse: DeviceUseSource
}

/** The only way React meets the services. */
export function useServices(): Services {
  return useRouteContext({ from: '__root__', select: context => context.services })
}

export function useServerInfo(): RequestState<ServerInfo> {
  const { serverInfo } = useServices()
  return useSyncExternalStore(serverInfo.subscribe, serverInfo.current, serverInfo.current)
}
