import './ui/tokens.css'
import './ui/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createCall } from '#api/client.ts'
import { createQueries, createQueryClient } from '#api/queries.ts'
import type { Problem } from '#api/result.ts'
import { createBrowserDevice } from '#device/browser-device.ts'
import { createLanguage } from '#i18n/language.ts'
import { reactionTo } from '#session/reactions.ts'
import { createSession, type Ending } from '#session/session.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'
import { startWorker } from '#shell/update-notice.tsx'
import { storedLanguage, storeLanguage } from '#store/preferences.ts'
import type { Store } from '#store/store.ts'
import { createSync } from '#sync/engine.ts'
import { createLine } from '#sync/line.ts'
import { takesDrafts, tellSync } from './sync-events.ts'
import { createNotices } from './notices.ts'
import { createPortalRouter, type PortalRouter } from './routes.tsx'
import type { Services } from './services.ts'

void start()

/** Builds device → language → notices → store → api → session → router, once, in that order. */
async function start() {
  const device = createBrowserDevice()
  const language = await createLanguage(storedLanguage(device), chosen => storeLanguage(device, chosen))
  const notices = createNotices(device)
  const line = createLine(device, () => void call('version', {}, { background: true }))
  let store: Promise<Store> | undefined
  const openStore = () => (store ??= import('#store/store.ts').then(module => module.createStore(device)))
  let router: PortalRouter | undefined

  const call = createCall({
    device,
    origin: import.meta.env['VITE_API_ORIGIN'] ?? '',
    token: () => session.token(),
    renew: () => session.renew(),
    onProblem: problem => react(problem),
    onReached: reached => line.reached(reached),
  })
  const queryClient = createQueryClient()
  const queries = createQueries(call)
  const session = createSession({
    device,
    call,
    async onOpen({ applicantId, draftKey }) {
      if (draftKey !== undefined) await (await openStore()).unlock({ applicantId, draftKey })
    },
    onEnd: ending => void leave(ending),
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
        notices.raise('warning', { key: 'notice.signIn' })
        return void router?.navigate({ to: '/' })
    }
  }

  async function leave(ending: Ending) {
    queryClient.clear()
    if (ending === 'inactivity') notices.raise('warning', { key: 'notice.loggedOutIdle' })
    try {
      await (await openStore()).lock()
    } finally {
      // Whatever the store can do, nothing of the applicant stays on the screen.
      await router?.navigate({ to: '/', replace: true })
    }
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
    call,
    queries,
    queryClient,
    session,
    sync,
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
  startWorker()
}
