import { RouterProvider } from '@tanstack/react-router'
import { type ReactElement, StrictMode } from 'react'
import { createCall } from '#api/client.ts'
import { createKeptAnswer } from '#api/kept-answer.ts'
import type { Problem } from '#api/result.ts'
import { receiptKeyStorageKey } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'
import type { LanguageSource } from '#i18n/language.ts'
import { reactionTo } from '#session/reactions.ts'
import { createSession } from '#session/session.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'
import { fetchPatiently, loadOnce } from '#device/load-file.ts'
import { createDeviceUse } from '#store/device-use.ts'
import type { Store } from '#store/store.ts'
import { isHereAlone } from '#sync/count-unsent.ts'
import { createLaterSync } from '#sync/later-sync.ts'
import type { Sync } from '#sync/engine.ts'
import { createLine } from '#sync/line.ts'
import { createReceipts } from '#sync/receipts.ts'
import { createUnfinished } from '#sync/unfinished.ts'
import { createLeaving, sessionRecord } from './leaving.ts'
import { createMemory } from './memory.ts'
import { createNotices } from './notices.ts'
import { createPortalRouter, type PortalRouter, type Routing } from './routes.tsx'
import type { Answers, Services } from './services.ts'
import { tellSync } from './sync-events.ts'

type Parts = { device: Device; language: LanguageSource; routing?: Routing }

export type Portal = { services: Services; router: PortalRouter; element: ReactElement }

/**
 * Builds notices → store → api → session → router, once, in that order. The build does the same to paint the sign-in
 * pages, on a device that does nothing.
 */
export function createPortal({ device, language, routing }: Parts): Portal {
  const deviceUse = createDeviceUse(device)
  const notices = createNotices(device)
  const line = createLine(device, () => void call('version', {}, { background: true }))
  line.subscribe(() => line.isDown() || notices.recant('notice.offline'))
  const unfinished = createUnfinished(device)
  const openStore = loadOnce(loadStore)
  const memory = createMemory(openStore)
  // Of what is built here nobody asks for it before it is there.
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
  const serverInfo = createKeptAnswer({
    now: () => device.monotonic(),
    freshFor: 10 * 60_000,
    async ask() {
      const told = await call('version', {}, { background: true })
      // The newest key that proves receipts stays here, for the day without the line (F7).
      const key = told.ok ? told.value.data.receiptKey : undefined
      if (key !== undefined) device.remember(receiptKeyStorageKey, key)
      return told
    },
  })
  const captchaOffer = createKeptAnswer({
    now: () => device.monotonic(),
    freshFor: 5 * 60_000,
    ask: () => call('getSiteKey'),
  })
  let answers: Answers | undefined
  const openAnswers = loadOnce(async () => (answers = await loadAnswers()))
  const session = createSession({
    device,
    call,
    async onOpen({ applicantId, draftKey, claims }) {
      const opened = await openStore()
      const keep = deviceUse.isShared() ? 'memory' : 'device'
      await opened.unlock({ applicantId, draftKey }, { keep })
      await memory.keep(sessionRecord, claims)
    },
    async recallClaims() {
      const { readKeptClaims } = await import('#session/claims.ts')
      return readKeptClaims(await memory.recall(sessionRecord))
    },
    use: deviceUse.current,
    onLeaving: sendAll,
    wouldLose,
    onEnd: createLeaving({
      device,
      deviceUse,
      language,
      notices,
      openStore,
      answersHere: () => answers,
      unfinished,
      memory,
      goHome: () => router?.navigate({ to: '/', replace: true }),
    }),
  })

  async function loadAnswers(): Promise<Answers> {
    const { createQueries, createQueryClient } = await fetchPatiently(() => import('#api/queries.ts'))
    const parts = { ...memory, isAlone: () => session.token() === undefined }
    return { queryClient: createQueryClient(), queries: createQueries(call, parts) }
  }

  function answersHere(): Answers {
    if (!answers) throw new Error('a screen asks before openAnswers has settled')
    return answers
  }

  async function loadStore(): Promise<Store> {
    const [{ createStore }, { keepTyped }] = await fetchPatiently(() =>
      Promise.all([import('#store/store.ts'), import('#sync/deliver.ts')]),
    )
    return createStore(device, keepTyped)
  }

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

  async function wouldLose(): Promise<boolean> {
    const waiting = await (await openStore()).drafts.all()
    const standings = await Promise.all(waiting.map(({ applicationId }) => sync.read(applicationId)))
    return standings.some(isHereAlone)
  }

  const sync = createLaterSync({ load: loadOnce(loadSync), session })

  async function loadSync(): Promise<Sync> {
    const { createSync } = await fetchPatiently(() => import('#sync/engine.ts'))
    return createSync({
      device,
      random: () => Math.random(),
      openDrafts: async () => (await openStore()).drafts,
      call,
      session,
      line,
      takesDrafts: async () => (await serverInfo.recall())?.features.includes('drafts'),
      onEvent: event => tellSync({ event, notices, queryClient: answers?.queryClient, router }),
    })
  }

  const services: Services = {
    device,
    language,
    notices,
    openStore,
    line,
    unfinished,
    call,
    serverInfo,
    captchaOffer,
    openAnswers,
    get queries() {
      return answersHere().queries
    },
    get queryClient() {
      return answersHere().queryClient
    },
    session,
    sync,
    deviceUse,
    receipts: createReceipts({ call, line, session, openStore }),
  }
  router = createPortalRouter(services, routing)
  const element = (
    <StrictMode>
      <LanguageProvider source={language}>
        <RouterProvider router={router} />
      </LanguageProvider>
    </StrictMode>
  )
  return { services, router, element }
}
