import type { ReactElement } from 'react'
import { flushSync } from 'react-dom'
import type { EntryPath } from '#contract/codes.ts'
import { createListeners, createObservable } from '#device/observable.ts'
import { loadOnce } from '#device/load-with-retry.ts'
import type { PortalRouter } from './routes.tsx'

/** The pages to which an entry page, or the frame around every page, has a link. */
export type LinkedPath =
  | EntryPath
  | '/procedure'
  | '/verify'
  | '/help'
  | '/legal'
  | '/accessibility'
  | '/privacy'

export type OpenedRouter = {
  router: PortalRouter
  element: ReactElement
  /**
   * Calls `listener` after each change of the path, except from a local id to the server's id of the same form. The
   * first page that the router shows is no change.
   */
  onArrival: (listener: () => void) => void
}

/**
 * Moves between the pages. A prerendered entry page that matches the state of the device is hydrated without the router
 * (D114). Then the router loads later, and shows the pages from the first move on.
 */
export type Navigation = {
  /** The path of the page that is shown, or that is being opened. */
  pathname: () => string
  /** Returns a check that is true once another page has begun to open, also after the applicant's return (D137). */
  watchLeaving: () => () => boolean
  /** Opens a page. While the router is not shown, a move to the path of the start does nothing. */
  go: (path: string, options?: { replace?: boolean }) => Promise<void>
  /** Undefined until the router shows the page. */
  router: () => PortalRouter | undefined
  /** Loads and creates the router; all callers share one. @throws when its file does not load; a new call retries */
  open: () => Promise<PortalRouter>
  /** Shows the page of the router in place of the entry page. Call `open` before. */
  show: () => void
  /** The element of the router, for React; undefined until the router shows the page. */
  shown: () => ReactElement | undefined
  subscribe: (listener: () => void) => () => void
  /** Calls `listener` after each move of `OpenedRouter`, and after the first move, which shows the router. */
  onArrival: (listener: () => void) => () => void
  /** Follows the browser's Back and Forward while the router is not shown. Returns the function that stops this. */
  watchHistory: () => () => void
}

type Parts = {
  /** The path at the start. */
  path: string
  load: () => Promise<OpenedRouter>
  /** Called when the file of the router does not load. The page stays. */
  onLoadFailure: () => void
}

export function createNavigation({ path, load, onLoadFailure }: Parts): Navigation {
  const shown = createObservable<ReactElement | undefined>(undefined)
  const arrivals = createListeners()
  let opened: OpenedRouter | undefined
  /** Whether a move has begun: from then on `pathname` reads the path of the router. */
  let hasMoved = false
  const moves = createMoveCounter()

  const openOnce = loadOnce(async () => {
    opened = await load()
    opened.onArrival(arrivals.emit)
    moves.follow(opened.router)
    return opened.router
  })

  function show() {
    const element = opened?.element
    if (element !== undefined && shown.state() === undefined) flushSync(() => shown.setState(element))
  }

  async function moveWithRouter(move: (router: PortalRouter) => Promise<void>) {
    const router = await openOnce().catch(onLoadFailure)
    if (!router) return
    hasMoved = true
    await move(router)
    if (shown.state() !== undefined) return
    show()
    scrollTo(0, 0)
    arrivals.emit()
  }

  function onPopState() {
    if (shown.state() !== undefined || location.pathname === path) return
    // Runs after the router's own listener of this event, which reads the new address.
    setTimeout(() => void moveWithRouter(router => router.load()))
  }

  return {
    pathname: () => ((hasMoved || shown.state()) && opened?.router.state.location.pathname) || path,
    watchLeaving: moves.watchLeaving,
    async go(to, { replace = false } = {}) {
      if (shown.state() !== undefined) await opened?.router.navigate({ href: to, replace })
      else if (to !== path) await moveWithRouter(router => router.navigate({ href: to, replace }))
    },
    router: () => (shown.state() === undefined ? undefined : opened?.router),
    open: openOnce,
    show,
    shown: shown.state,
    subscribe: shown.subscribe,
    onArrival: arrivals.subscribe,
    watchHistory() {
      addEventListener('popstate', onPopState)
      return () => removeEventListener('popstate', onPopState)
    },
  }
}

/** Counts the moves to other paths; each counts when its page begins to open. The router's first load counts too. */
function createMoveCounter() {
  let count = 0
  return {
    follow(router: PortalRouter) {
      router.subscribe('onBeforeLoad', ({ pathChanged }) => {
        if (pathChanged) count += 1
      })
    },
    watchLeaving: () => {
      const countBefore = count
      return () => count !== countBefore
    },
  }
}
