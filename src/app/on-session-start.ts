import { cachePart, whenWorkerControls } from '#device/service-worker.ts'
import { prefetchLists } from '#sync/prefetch.ts'
import type { Services } from './services.ts'

/** How long nothing may have been asked before the line counts as idle, milliseconds. */
const idlePauseMs = 500

/** What becomes possible once the server knows the applicant: what was seen is asked anew, what may be needed fetched. */
export function watchSessionStart({ device, session, openQueries, call, language }: Services) {
  let hasToken = session.token() !== undefined
  let prefetching: Promise<unknown> | undefined
  let abort = new AbortController()

  async function whenNetworkIdle(): Promise<void> {
    await new Promise<void>(resolve => {
      device.after(idlePauseMs, resolve)
    })
    const answers = await openQueries().catch(() => undefined)
    if (answers && answers.queryClient.isFetching() > 0) await whenNetworkIdle()
  }

  async function prefetchOnce(signal: AbortSignal) {
    await whenWorkerControls()
    // The form opens without the line from now on, and what comes after it where data is not dear.
    cachePart('form')
    if (!device.savesData()) for (const part of ['en', 'later'] as const) cachePart(part)
    const isDone = await prefetchLists({
      call,
      language: language.current().language,
      savesData: device.savesData(),
      whenIdle: whenNetworkIdle,
      signal,
    })
    // The next renewal of the session is the next occasion.
    if (!isDone && !signal.aborted) prefetching = undefined
  }

  /** What was fetched stays on the device; what was not is the next applicant's to ask. */
  function stopPrefetch() {
    abort.abort()
    abort = new AbortController()
    prefetching = undefined
  }

  async function refetchPersonal() {
    // Where they cannot be had, nothing was seen yet.
    const answers = await openQueries().catch(() => undefined)
    await answers?.queryClient.invalidateQueries({ predicate: isPersonal })
  }

  session.subscribe(() => {
    const hadToken = hasToken
    hasToken = session.token() !== undefined
    if (!hasToken) return stopPrefetch()
    if (!hadToken) void refetchPersonal()
    prefetching ??= prefetchOnce(abort.signal)
  })
}

/** Lists are the same for everybody, and what is typed here is nobody else's to renew. */
function isPersonal({ queryKey: [subject] }: { queryKey: readonly unknown[] }): boolean {
  return subject === 'applications' || subject === 'application-data' || subject === 'appointment'
}
