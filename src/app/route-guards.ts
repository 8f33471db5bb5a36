import { redirect } from '@tanstack/react-router'
import { resumeStorageKey, handOverParameter } from '#contract/codes.ts'
import type { JourneyScreen } from '#contract/states.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { cachePart, whenWorkerControls } from '#device/service-worker.ts'
import type { LoadedServices, Services } from './services.ts'
import type { GuardedVisit } from './state-guard.ts'

type Context = { services: Services }

type LoadedContext = { services: LoadedServices }

/**
 * Guard of every screen after the sign-in: without a session, shows a notice and opens the welcome page (NAV03). A
 * preload shows no notice.
 */
export async function requireSession({
  context: { services },
  location,
  preload,
}: {
  context: Context
  location: { pathname: string; search: object }
  /** The router only preloads the screen; the applicant has not opened it. */
  preload: boolean
}): Promise<LoadedContext> {
  const rest = loadRest(services)
  const state = await services.session.ready()
  if (state.kind === 'signed-in') {
    // On a shared device the address has aliases instead of ids (D31). Before the aliases are saved, a reload would
    // open the list instead of this screen.
    await services.addresses.whenSaved()
    return rest
  }
  if (preload) throw redirect({ to: '/' })
  // After the sign-in the applicant continues with the form or the list that another device handed over (D38). On a shared
  // device the saved address has aliases, because a browser writes the tab storage to its disk (D31).
  if (handOverParameter in location.search)
    services.device.saveTabText(resumeStorageKey, services.addresses.hide(location.pathname))
  services.notices.raise('warning', { key: 'notice.signIn' })
  throw redirect({ to: '/' })
}

/**
 * Moves a scanned code from the address into the history state of this tab, because the code names a person and the
 * browser's history shows addresses. Without a code loads the messages of the page.
 */
export async function hideScannedCode({
  context: { services },
  location,
}: {
  context: Context
  location: { hash: string }
}): Promise<void> {
  if (location.hash === '') {
    void whenWorkerControls().then(() => cachePart('verify'))
    return services.language.loadMessages('verify')
  }
  throw redirect({ to: '/verify', hash: '', replace: true, state: { scannedCode: location.hash } })
}

/**
 * Moves the code of a link in an SMS or e-mail from the address into the history state of this tab, because other
 * people may see the address. Without a code loads the messages of the page, which are among those of the page of help.
 */
export async function hideUndoCode({
  context: { services },
  location,
}: {
  context: Context
  location: { hash: string }
}): Promise<void> {
  if (location.hash === '') return services.language.loadMessages('help')
  throw redirect({ to: '/undo', hash: '', replace: true, state: { undoCode: location.hash } })
}

/** Loads the messages of the page of help, which needs no session. */
export async function loadHelpMessages({ context: { services } }: { context: Context }): Promise<void> {
  await services.language.loadMessages('help')
}

/** Loads the messages of the legal pages, which need no session. */
export async function loadLegalMessages({ context: { services } }: { context: Context }): Promise<void> {
  await services.language.loadMessages('legal')
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The changed appointment has kept its id, and the applicant still has to confirm the change (D67). */
    isChangedInPlace?: boolean
    /** The final page opens with the receipt. */
    showsReceipt?: boolean
    /** The fragment with which a camera app opened the page that verifies receipts. */
    scannedCode?: string
    /** The fragment of the link in an SMS or e-mail that tells of a changed contact. */
    undoCode?: string
  }
}

/**
 * Loads more messages and the queries, which the sign-in pages do not need. The empty `catch` prevents an
 * unhandled rejection when the guard redirects before the load fails.
 */
function loadRest({ language, openQueries }: Services): Promise<LoadedContext> {
  const rest = Promise.all([openQueries(), language.loadMessages('rest')]).then(([services]) => ({
    services,
  }))
  rest.catch(() => undefined)
  return rest
}

/**
 * Returns the guard of a screen that needs an application in a certain state. Its code loads with the screens after the
 * sign-in.
 */
export function requireState(screen: JourneyScreen) {
  return async (visit: GuardedVisit): Promise<void> => {
    const { checkState } = await loadWithRetry(() => import('./state-guard.ts'))
    await checkState(screen, visit)
  }
}
