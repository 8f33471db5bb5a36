import { keepPart, workerServes } from '#device/service-worker.ts'
import { fetchAhead } from '#sync/fetch-ahead.ts'
import type { Services } from './services.ts'

/** How long nothing may have been asked before the line counts as idle, milliseconds. */
const idlePause = 500

/** What becomes possible once the server knows the applicant: what was seen is asked anew, what may be needed fetched. */
export function renewWithSession({ device, session, openAnswers, call, language }: Services) {
  let known = session.token() !== undefined
  let fetched: Promise<unknown> | undefined
  let asking = new AbortController()

  async function lineIsIdle(): Promise<void> {
    await new Promise<void>(resolve => {
      device.after(idlePause, resolve)
    })
    const answers = await openAnswers().catch(() => undefined)
    if (answers && answers.queryClient.isFetching() > 0) await lineIsIdle()
  }

  async function fetchOnce(signal: AbortSignal) {
    await workerServes()
    // The form opens without the line from now on, and what comes after it where data is not dear.
    keepPart('form')
    if (!device.savesData()) for (const part of ['en', 'later'] as const) keepPart(part)
    const isDone = await fetchAhead({
      call,
      language: language.current().language,
      sparing: device.savesData(),
      idle: lineIsIdle,
      signal,
    })
    // The next renewal of the session is the next occasion.
    if (!isDone && !signal.aborted) fetched = undefined
  }

  /** What was fetched stays on the device; what was not is the next applicant's to ask. */
  function stopAsking() {
    asking.abort()
    asking = new AbortController()
    fetched = undefined
  }

  async function renewPersonal() {
    // Where they cannot be had, nothing was seen yet.
    const answers = await openAnswers().catch(() => undefined)
    await answers?.queryClient.invalidateQueries({ predicate: isPersonal })
  }

  session.subscribe(() => {
    const wasKnown = known
    known = session.token() !== undefined
    if (!known) return stopAsking()
    if (!wasKnown) void renewPersonal()
    fetched ??= fetchOnce(asking.signal)
  })
}

/** Lists are the same for everybody, and what is typed here is nobody else's to renew. */
function isPersonal({ queryKey: [subject] }: { queryKey: readonly unknown[] }): boolean {
  return subject === 'applications' || subject === 'application-data' || subject === 'appointment'
}
