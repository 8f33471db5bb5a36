import { type ComponentType, type ReactElement, StrictMode } from 'react'
import { createAnswerMarks } from '#api/answer-marks.ts'
import type { ResponseCache } from '#api/cached-call.ts'
import { type Call, createCall } from '#api/client.ts'
import { createCachedRequest } from '#api/cached-request.ts'
import { publicInfoStorageKey, receiptKeysStorageKey } from '#contract/codes.ts'
import { waitInOneUnit } from '#contract/wait-in-one-unit.ts'
import { receiptKeysOf } from '#contract/receipt-keys.ts'
import type { PublicInfo, ServerInfo } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import type { LanguageSource } from '#i18n/language.ts'
import { type Reaction, reactionInBackground, reactionTo } from '#session/reactions.ts'
import { createSession, type Session, type SessionParts } from '#session/session.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'
import { loadWithRetry, loadOnce } from '#device/load-with-retry.ts'
import { cachePart, whenWorkerControls } from '#device/service-worker.ts'
import { createDeviceUse, type DeviceUseSource } from '#store/device-use.ts'
import type { PageSession } from '#store/applicant-key.ts'
import type { Store } from '#store/store.ts'
import { createLazySync } from '#sync/lazy-sync.ts'
import type { Sync } from '#sync/engine.ts'
import { createConnectivity } from '#sync/connectivity.ts'
import { createPendingWrites } from '#sync/pending-writes.ts'
import { createOnSessionEnd, claimsCacheName } from './on-session-end.ts'
import { createHiddenAddresses } from './hidden-addresses.ts'
import { createLogoutHooks } from './logout-hooks.ts'
import { createResponseCache } from './response-cache.ts'
import { createNotices } from './notices.ts'
import type { PortalSyncParts } from './portal-sync.ts'
import { createNavigation, type Navigation } from './navigation.ts'
import { PortalPages } from './portal-pages.tsx'
import { type LoadedServices, type Services, ServicesContext } from './services.ts'

type Parts = {
  device: Device
  language: LanguageSource
  /** The path at the start. */
  path: string
}

export type Portal = {
  services: Services
  /** Returns the React element of the portal. `Screen`: the screen of an entry page without the router. */
  elementFor: (Screen?: ComponentType) => ReactElement
}

/**
 * Builds every service once and connects them. The build calls it too, to prerender the sign-in pages on a device
 * without effects.
 */
export function createPortal(parts: Parts): Portal {
  const services = createServices(parts)
  return {
    services,
    elementFor: Screen => (
      <StrictMode>
        <ServicesContext value={services}>
          <LanguageProvider source={parts.language}>
            <PortalPages Screen={Screen} />
          </LanguageProvider>
        </ServicesContext>
      </StrictMode>
    ),
  }
}

function createServices({ device, language, path }: Parts): Services {
  const deviceUse = createDeviceUse(device)
  const notices = createNotices(device, () => connectivity.state() === 'offline')
  const connectivity = createConnectivity(device, () => call('version', {}, { background: true }))
  connectivity.subscribe(
    () => connectivity.isUnreachable() || notices.withdraw('notice.offline', 'notice.needsConnection'),
  )
  const navigation = createPortalNavigation({ path, notices, services: () => services })
  const storage = createStorage(device, () => session)
  const callParts = { device, deviceUse, notices, connectivity, navigation, session: () => session }
  const call: Call = createServiceCall({
    ...callParts,
    onMarkLearned: () => serverInfo.replace(),
  })
  const serverInfo = createServerInfo(device, call)
  let loaded: LoadedServices | undefined
  const openQueries = loadOnce(async () => {
    const queries = await loadQueries(call, storage, { device, session, serverInfo })
    // Adds the queries to the same `services` object, so that effects that depend on it do not run again.
    return (loaded = Object.assign(services, queries))
  })
  const queryClient = () => loaded?.queryClient
  const goHome = () => navigation.go('/', { replace: true })
  const session: Session = createSession({
    device,
    call,
    deviceUse: deviceUse.current,
    ...keyAndClaimsParts(storage, deviceUse),
    ...createLogoutHooks({ ...storage, sync: () => sync, serverInfo }),
    onEnd: createOnSessionEnd({ ...callParts, language, queryClient, goHome, serverInfo, ...storage }),
  })
  const syncParts = { device, call, session, connectivity, serverInfo, notices, ...storage }
  const loadSync = () => loadPortalSync(syncParts, () => loaded, navigation.router)
  const sync = createLazySync({ load: loadOnce(loadSync), session })
  const services: Services = {
    device,
    deviceUse,
    language,
    notices,
    navigation,
    connectivity,
    openStore: storage.openStore,
    pendingWrites: storage.pendingWrites,
    call,
    serverInfo,
    captchaOffer: createCaptchaOffer(device, call),
    openQueries,
    session,
    sync,
    // On a shared device the browser's history must have no ids (D31).
    addresses: createHiddenAddresses({
      device,
      isShared: deviceUse.isShared,
      session,
      cache: storage.responseCache,
    }),
  }
  return services
}

type NavigationParts = { path: string; notices: Services['notices']; services: () => Services }

function createPortalNavigation({ path, notices, services }: NavigationParts): Navigation {
  return createNavigation({
    path,
    async load() {
      const { openRouter } = await loadWithRetry(() => import('./open-router.tsx'))
      void whenWorkerControls().then(() => cachePart('router'))
      return openRouter(services())
    },
    onLoadFailure: () => notices.raise('warning', { key: 'notice.offline' }),
  })
}

type CallParts = Pick<Services, 'device' | 'deviceUse' | 'notices' | 'connectivity' | 'navigation'> & {
  session: () => Session
  /** An answer has shown that the server marks its answers: an earlier unmarked `/version` may be foreign (D60). */
  onMarkLearned: () => void
}

/** Creates the function that calls the service with the session's token and shows what a failure needs (API36). */
function createServiceCall(parts: CallParts): Call {
  const { device, deviceUse, notices, connectivity, navigation, session } = parts
  const call = createCall({
    device,
    origin: import.meta.env['VITE_API_ORIGIN'] ?? '',
    token: () => session().token(),
    refreshSession: () => session().refresh(),
    watchSessionEnd: () => session().watchEnd(),
    watchLeaving: navigation.watchLeaving,
    isShared: deviceUse.isShared,
    onProblem: (problem, { name, background, automatic }) =>
      applyReaction(background ? reactionInBackground(name, problem) : reactionTo(problem, automatic), {
        notices,
        session: session(),
        navigation,
      }),
    onReached: connectivity.reportResponse,
    answerMarks: createAnswerMarks(device),
    onMarkLearned: parts.onMarkLearned,
  })
  return async (name, input, options = {}) => {
    const result = await call(name, input, options)
    if (result.ok && !options.background) notices.end('notice.serviceUnavailable')
    return result
  }
}

/** The store of the applicant on this device, its response cache, and the pending writes. */
type DeviceStorage = Pick<Services, 'openStore' | 'pendingWrites'> & { responseCache: ResponseCache }

function createStorage(device: Device, session: () => Session): DeviceStorage {
  const pageSession = {
    applicantId: () => session().signedInId(),
    id: () => session().id(),
    hasNewer: () => session().hasNewer(),
  }
  const openStore = loadOnce(() => loadStore(device, pageSession))
  return {
    openStore,
    pendingWrites: createPendingWrites(device),
    responseCache: createResponseCache(openStore),
  }
}

async function loadStore(device: Device, session: PageSession): Promise<Store> {
  const [{ createStore }, { mergeScreenForm }] = await loadWithRetry(() =>
    Promise.all([import('#store/store.ts'), import('#sync/merge-screen-form.ts')]),
  )
  return createStore({ device, mergeDrafts: mergeScreenForm, session })
}

function createServerInfo(device: Device, call: Call): Services['serverInfo'] {
  return createCachedRequest({
    now: () => device.monotonic(),
    freshForMs: 10 * 60_000,
    async request() {
      const response = await call('version', {}, { background: true })
      if (!response.ok) return response
      const { data } = response.value
      savePublicInfo(device, data)
      const received = { wallMs: device.now(), monotonicMs: device.monotonic() }
      return { ok: true, value: { data: { ...data, received } } }
    },
  })
}

/** Saves what pages show without a connection (NAV26, NAV28), and the keys with which they check receipts (F7). */
function savePublicInfo(device: Device, info: ServerInfo): void {
  const { help, issuer, isDemo, fee } = info
  const keys = receiptKeysOf(info)
  if (keys !== undefined) device.saveText(receiptKeysStorageKey, keys)
  device.saveText(publicInfoStorageKey, JSON.stringify({ help, issuer, isDemo, fee } satisfies PublicInfo))
}

function createCaptchaOffer(device: Device, call: Call): Services['captchaOffer'] {
  return createCachedRequest({
    now: () => device.monotonic(),
    freshForMs: 5 * 60_000,
    request: () => call('getSiteKey'),
  })
}

async function loadQueries(
  call: Call,
  { responseCache }: DeviceStorage,
  { device, session, serverInfo }: Pick<Services, 'device' | 'session' | 'serverInfo'>,
) {
  const { createQueries, createQueryClient } = await loadWithRetry(() => import('#api/queries.ts'))
  const hasNoToken = () => session.token() === undefined
  // Without a token a cached answer is shown at once, so that nothing waits for the server.
  const readInfo = async () => (hasNoToken() ? serverInfo.current().value : await serverInfo.readAny())
  const hasFeature = async (name: string) => (await readInfo())?.features.includes(name)
  const queries = createQueries(call, {
    cache: responseCache,
    hasNoToken,
    hasFeature,
    signedInId: session.signedInId,
    device,
  })
  return { queryClient: createQueryClient(), queries }
}

/**
 * What the session keeps: the applicant's encryption key, on a shared device in memory only, and the cached claims for
 * a start offline.
 */
function keyAndClaimsParts(
  { openStore, responseCache }: DeviceStorage,
  deviceUse: DeviceUseSource,
): Pick<SessionParts, 'onOpen' | 'writeCachedClaims' | 'readCachedClaims'> {
  return {
    async onOpen(applicant) {
      const store = await openStore()
      await store.setKey(applicant, deviceUse.isShared() ? 'memory' : 'device')
    },
    writeCachedClaims: claims => responseCache.write(claimsCacheName, claims),
    async readCachedClaims() {
      const { readCachedClaims } = await import('#session/claims.ts')
      return readCachedClaims(await responseCache.read(claimsCacheName))
    },
  }
}

async function loadPortalSync(
  parts: Pick<PortalSyncParts, 'device' | 'call' | 'session' | 'connectivity' | 'serverInfo' | 'notices'> &
    DeviceStorage,
  loaded: PortalSyncParts['loaded'],
  router: PortalSyncParts['router'],
): Promise<Sync> {
  const { createPortalSync } = await loadWithRetry(() => import('./portal-sync.ts'))
  const applicantId = parts.session.signedInId
  return createPortalSync({ ...parts, loaded, router, applicantId })
}

/** Shows the notice or opens the page that is the same on every screen (API36). */
function applyReaction(
  reaction: Reaction,
  { notices, session, navigation }: Pick<Services, 'notices' | 'session' | 'navigation'>,
): void {
  switch (reaction.kind) {
    case 'none':
      return
    case 'say-offline':
      return notices.raise('warning', { key: 'notice.offline' })
    case 'say-unavailable':
      return notices.raise('danger', { key: 'notice.serviceUnavailable', incident: reaction.incident })
    case 'say-busy':
      return notices.raise('warning', { key: 'notice.busy' })
    case 'say-too-many':
      return notices.raise('warning', {
        key: 'notice.tooManyRequests',
        values: waitInOneUnit(reaction.seconds),
      })
    case 'say-in-flight':
      return notices.raise('warning', { key: 'notice.inFlight' })
    case 'go-home':
      return void navigation.go('/')
    case 'sign-in':
      // The session ended during the call, and its end has shown a notice; or the page had no session.
      if (session.state().kind === 'signed-out') return
      notices.raise('warning', { key: 'notice.signIn' })
      return void navigation.go('/')
  }
}
