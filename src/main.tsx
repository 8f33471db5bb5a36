import './ui/tokens.css'
import './ui/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createCall } from '#api/client.ts'
import { createQueries, createQueryClient } from '#api/queries.ts'
import type { Problem } from '#api/result.ts'
import { leavingPatience } from '#contract/codes.ts'
import { createBrowserDevice } from '#device/browser-device.ts'
import type { Device } from '#device/device.ts'
import { onMissingFile, workerServes } from '#device/service-worker.ts'
import { createLanguage } from '#i18n/language.ts'
import { reactionTo } from '#session/reactions.ts'
import { readKeptClaims } from '#session/claims.ts'
import { createSession, type Ending } from '#session/session.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'
import { startWorker } from '#shell/update-notice.tsx'
import {
  addressAfterWipe,
  createDeviceUse,
  keptAfterWipe,
  type Left,
  settleArrival,
} from '#store/device-use.ts'
import { storedLanguage, storeLanguage } from '#store/preferences.ts'
import type { Store } from '#store/store.ts'
import { createSync } from '#sync/engine.ts'
import { fetchAhead } from '#sync/fetch-ahead.ts'
import { createLine } from '#sync/line.ts'
import { createReceipts } from '#sync/receipts.ts'
import { createUnfinished } from '#sync/unfinished.ts'
import { takesDrafts, tellSync } from './sync-events.ts'
import { createNotices, type Notices } from './notices.ts'
import { createPortalRouter, type PortalRouter } from './routes.tsx'
import type { Services } from './services.ts'

void start()

/** How long nothing may have been asked before the line counts as idle, milliseconds. */
const idlePause = 500

/** Under this name the store keeps who is signed in. */
const sessionRecord = 'session'

/** Builds device → language → notices → store → api → session → router, once, in that order. */
async function start() {
  const device = createBrowserDevice()
  const { left } = settleArrival(device)
  const deviceUse = createDeviceUse(device)
  const language = await createLanguage(storedLanguage(device), chosen => storeLanguage(device, chosen))
  const notices = createNotices(device)
  const line = createLine(device, () => void call('version', {}, { background: true }))
  const unfinished = createUnfinished(device)
  let store: Promise<Store> | undefined
  const openStore = () => (store ??= import('#store/store.ts').then(module => module.createStore(device)))
  let router: PortalRouter | undefined

  const call = createCall({
    device,
    origin: import.meta.env['VITE_API_ORIGIN'] ?? '',
    token: () => session.token(),
    renew: () => session.renew(),
    isShared: deviceUse.isShared,
    onProblem: problem => react(problem),
    onReached: reached => line.reached(reached),
  })
  const queryClient = createQueryClient()
  const queries = createQueries(call, {
    keep: async (name, value) => (await openStore()).lastSeen.keep(name, value).catch(ignoreStorage),
    recall: async name => (await openStore()).lastSeen.recall(name).catch(ignoreStorage),
    isAlone: () => session.token() === undefined,
  })
  const session = createSession({
    device,
    call,
    async onOpen({ applicantId, draftKey, claims }) {
      const opened = await openStore()
      const keep = deviceUse.isShared() ? 'memory' : 'device'
      await opened.unlock({ applicantId, draftKey }, { keep })
      await opened.lastSeen.keep(sessionRecord, claims).catch(ignoreStorage)
    },
    recallClaims: async () =>
      readKeptClaims(await (await openStore()).lastSeen.recall(sessionRecord).catch(ignoreStorage)),
    use: deviceUse.current,
    onLeaving: sendAll,
    onEnd: leave,
  })

  /** The effects of the reactions that do not depend on the screen (API36). */
  function react(problem: Problem) {
    switch (reactionTo(problem).kind) {
      case 'none':
        return
      case 'say-offline':
        return notices.raise('warning', { key: 'notice.offline' })
      case 'say-unavailable':
        return notices.raise('danger', { key: 'notice.serviceUnavailable' })
      case 'go-home':
        return void router?.navigate({ to: '/' })
      case 'sign-in':
        // An answer to a call that was on its way when the session ended: how it ended is said already.
        if (session.state().kind === 'signed-out') return
        notices.raise('warning', { key: 'notice.signIn' })
        return void router?.navigate({ to: '/' })
    }
  }

  /** All that was typed here, while there is a token to send it by (D31). */
  async function sendAll() {
    await unfinished.finish()
    const waiting = await (await openStore()).drafts.all()
    await Promise.all(waiting.map(({ applicationId }) => sync.flush(applicationId)))
  }

  async function leave(ending: Ending, answered: Promise<unknown>) {
    queryClient.clear()
    if (ending === 'refused') notices.raise('warning', { key: 'notice.signIn' })
    sayLeft(notices, ending)
    try {
      // What was typed until now is written while its key is still here.
      await unfinished.finish()
      const opened = await openStore()
      await opened.lastSeen.remove(sessionRecord).catch(ignoreStorage)
      await opened.lock()
    } finally {
      // Whatever the store can do, nothing of the applicant stays on the screen.
      await router?.navigate({ to: '/', replace: true })
      // A session that ran out is no leaving: what was typed waits, sealed, for the same applicant.
      if (deviceUse.isShared() && ending !== 'refused') await clearDevice(ending, answered)
    }
  }

  async function clearDevice(ending: Ending, answered: Promise<unknown>) {
    await device.wipe(keptAfterWipe)
    await Promise.race([answered, pause(device, leavingPatience)])
    const use = deviceUse.current()
    device.restart(addressAfterWipe(use, { language: language.current().language, left: leftBy(ending) }))
  }

  const sync = createSync({
    device,
    random: () => Math.random(),
    openDrafts: async () => (await openStore()).drafts,
    call,
    session,
    line,
    takesDrafts: () => takesDrafts(queryClient, queries),
    onEvent: event => tellSync({ event, notices, queryClient, router }),
  })

  const services: Services = {
    device,
    language,
    notices,
    openStore,
    line,
    unfinished,
    call,
    queries,
    queryClient,
    session,
    sync,
    deviceUse,
    receipts: createReceipts({ call, line, session, openStore }),
  }
  router = createPortalRouter(services)
  const place = document.getElementById('root')
  if (!place) throw new Error('index.html has no #root')
  createRoot(place).render(
    <StrictMode>
      <LanguageProvider source={language}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </LanguageProvider>
    </StrictMode>,
  )
  startWorker(() => unfinished.finish())
  // The router reloads the page once where a file is missing, on drawing what needs it.
  onMissingFile(() => void unfinished.finish())
  followSession(services)
  // A list that could not be had would stay empty until its screen is left.
  line.subscribe(() => {
    if (!line.isDown()) void queryClient.refetchQueries({ type: 'active', predicate: hasFailed })
  })
  if (left) sayLeft(notices, left)
}

function sayLeft(notices: Notices, ending: Ending): void {
  if (ending === 'inactivity') notices.raise('warning', { key: 'notice.loggedOutIdle' })
  if (ending === 'asked') notices.raise('success', { key: 'notice.loggedOut' })
}

function pause(device: Device, milliseconds: number): Promise<void> {
  return new Promise(resolve => void device.after(milliseconds, resolve))
}

function leftBy(ending: Ending): Left | undefined {
  return ending === 'asked' || ending === 'inactivity' ? ending : undefined
}

/** What becomes possible once the server knows the applicant: what was seen is asked anew, what may be needed fetched. */
function followSession({ device, session, queryClient, call, language }: Services) {
  let known = session.token() !== undefined
  let fetched: Promise<unknown> | undefined

  async function lineIsIdle(): Promise<void> {
    await new Promise<void>(resolve => {
      device.after(idlePause, resolve)
    })
    if (queryClient.isFetching() > 0) await lineIsIdle()
  }

  async function fetchOnce() {
    await workerServes()
    const isDone = await fetchAhead({
      call,
      language: language.current().language,
      sparing: device.savesData(),
      idle: lineIsIdle,
    })
    // The next renewal of the session is the next occasion.
    if (!isDone) fetched = undefined
  }

  session.subscribe(() => {
    const wasKnown = known
    known = session.token() !== undefined
    if (!known) return
    if (!wasKnown) void queryClient.invalidateQueries({ predicate: isPersonal })
    fetched ??= fetchOnce()
  })
}

/** Lists are the same for everybody, and what is typed here is nobody else's to renew. */
function isPersonal({ queryKey: [subject] }: { queryKey: readonly unknown[] }): boolean {
  return subject === 'applications' || subject === 'application-data' || subject === 'appointment'
}

function hasFailed({ state }: { state: { status: string } }): boolean {
  return state.status === 'error'
}

/** What the device has seen is a comfort: where it cannot be kept or read, the line is asked as ever. */
function ignoreStorage(): undefined {}
