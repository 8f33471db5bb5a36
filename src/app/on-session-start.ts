import { cachePart, whenWorkerControls } from '#device/service-worker.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import type { Services } from './services.ts'

/** Delay before each check for running queries, in milliseconds. If a check finds none, the network counts as idle. */
const networkIdleMs = 500

/**
 * When this page gets the first token of a session, after a sign-in or after a load of the page, refetches personal
 * data and, once a service worker controls the page, prefetches the lists of the form. If the page has a token before
 * this call, the next change of the session starts the prefetch, as after a failed one.
 */
export function watchSessionStart({ device, session, openQueries, call, language }: Services) {
  let hasToken = session.token() !== undefined
  let prefetching: Promise<unknown> | undefined
  let abort = new AbortController()

  async function whenNetworkIdle(): Promise<void> {
    await new Promise<void>(resolve => {
      device.after(networkIdleMs, resolve)
    })
    const loaded = await openQueries().catch(() => undefined)
    if (loaded && loaded.queryClient.isFetching() > 0) await whenNetworkIdle()
  }

  async function prefetchOnce(signal: AbortSignal) {
    await whenWorkerControls()
    // The service worker caches the form, so that the form opens offline. Without the data saver, it also caches the
    // English texts and the later screens.
    cachePart('form')
    if (!device.isDataSaverOn()) for (const part of ['en', 'later'] as const) cachePart(part)
    const loaded = await loadWithRetry(() => import('#sync/prefetch.ts')).catch(() => undefined)
    const isDone = await loaded?.prefetchLists({
      call,
      language: language.current().language,
      isDataSaverOn: device.isDataSaverOn(),
      whenIdle: whenNetworkIdle,
      signal,
    })
    // The next change of the session, such as a refresh of its token, starts the prefetch again.
    if (!isDone && !signal.aborted) prefetching = undefined
  }

  /** Aborts the prefetch when the session ends. Fetched lists stay cached; the next session prefetches again. */
  function stopPrefetch() {
    abort.abort()
    abort = new AbortController()
    prefetching = undefined
  }

  async function readPersonal() {
    // If the queries cannot be loaded, no screen has queried anything yet.
    const loaded = await openQueries().catch(() => undefined)
    await loaded?.queries.readPersonal(loaded.queryClient)
  }

  session.subscribe(() => {
    const hadToken = hasToken
    hasToken = session.token() !== undefined
    if (!hasToken) return stopPrefetch()
    if (!hadToken) void readPersonal()
    prefetching ??= prefetchOnce(abort.signal)
  })
}
