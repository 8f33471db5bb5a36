import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Call } from '#api/client.ts'
import type { CachedRequest, RequestState } from '#api/cached-request.ts'
import type { Queries } from '#api/queries.ts'
import { publicInfoStorageKey } from '#contract/codes.ts'
import { parseJson } from '#contract/parse-json.ts'
import type { CaptchaOffer, PublicInfo, ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import type { LanguageSource } from '#i18n/language.ts'
import type { Session } from '#session/session.ts'
import type { DeviceUseSource } from '#store/device-use.ts'
import type { Store } from '#store/store.ts'
import type { Sync } from '#sync/engine.ts'
import type { Connectivity } from '#sync/connectivity.ts'
import type { PendingWrites } from '#sync/pending-writes.ts'
import type { HiddenAddresses } from './hidden-addresses.ts'
import type { Navigation } from './navigation.ts'
import type { Notices } from './notices.ts'

/** `received`: both clocks of the device when the answer came, in milliseconds. */
export type ReceivedInfo = ServerInfo & { received: { wallMs: number; monotonicMs: number } }

/** The services that every page has from its start, built once in create-portal.tsx. */
export type Services = {
  device: Device
  language: LanguageSource
  notices: Notices
  navigation: Navigation
  /**
   * Loads the code of the store at the first call, because the sign-in pages do not need it. Rejects only when this
   * code does not load. The database opens at its first use, where its failure is a `StorageFault`.
   */
  openStore(): Promise<Store>
  connectivity: Connectivity
  /**
   * The portal waits for these writes before a log-out and before a reload for a new release, at most 2 s. Before a
   * reload for a missing file it only starts them.
   */
  pendingWrites: PendingWrites
  call: Call
  /** Version and features of the server (S16). */
  serverInfo: CachedRequest<ReceivedInfo>
  /** The captcha that the server offers; requested only after the server has asked for a captcha. */
  captchaOffer: CachedRequest<CaptchaOffer>
  /** Loads TanStack Query and the queries, which the sign-in pages do not need. */
  openQueries: () => Promise<LoadedServices>
  session: Session
  sync: Sync
  deviceUse: DeviceUseSource
  /** Replaces the ids in addresses on a shared device, because the browser's history must hold none. */
  addresses: HiddenAddresses
}

/** The services of the signed-in screens: the guards load them before these screens render. */
export type LoadedServices = Services & { queries: Queries; queryClient: QueryClient }

/** create-portal.tsx provides it. */
export const ServicesContext = createContext<Services | undefined>(undefined)

/** portal-frame.tsx provides the path of the page. */
export const PathnameContext = createContext('/')

/** The only way for a component of any page to get the services. */
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('The component is outside the portal')
  return services
}

/** The path of the page, also on the entry pages, which have no router. */
export function usePathname(): string {
  return useContext(PathnameContext)
}

/** The only way for a component of a signed-in screen to get the queries. */
export function useLoadedServices(): LoadedServices {
  const services = useServices()
  if (!areLoaded(services)) throw new Error('The guard of the screen has not loaded the queries')
  return services
}

export function areLoaded(services: Services): services is LoadedServices {
  return 'queries' in services
}

/**
 * On a shared device a browser with autocomplete would show the answers of one applicant to the next (D38), and would
 * save them in its profile, also those chosen in lists (D31). Undefined on the applicant's own device.
 */
export function useAutoCompleteOfDevice(): 'off' | undefined {
  return useServices().deviceUse.isShared() ? 'off' : undefined
}

export function useServerInfo(): RequestState<ReceivedInfo> {
  const { serverInfo } = useServices()
  return useSyncExternalStore(serverInfo.subscribe, serverInfo.current, serverInfo.current)
}

/** What the server says about its operator; without an answer, what this device has saved of an earlier one. */
export function usePublicInfo(): PublicInfo {
  const { device } = useServices()
  const current = useServerInfo().value
  // A prerendered page was drawn without the saved text, so the first render must not use it.
  const saved = useSyncExternalStore(neverChanges, () => device.readText(publicInfoStorageKey), noText)
  // Only create-portal.tsx writes the text, but something else may have changed it, such as a browser extension.
  return current ?? (parseJson(saved ?? '') as PublicInfo | undefined | null) ?? {}
}

const neverChanges = () => () => undefined
const noText = () => undefined
