import { refusalEventKinds } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import { recordEvent } from '#server/features/session/security-events.ts'

export type RecordForgery = (kind: (typeof refusalEventKinds)[number], address: string) => Promise<void>

/**
 * One process tries to add at most this number of rows in a minute: a flood must neither fill the table nor load a database
 * that fails.
 */
const maxTriesPerMinute = 60
const minuteMs = 60_000

/** Records calls of foreign pages and with forged tokens: once a minute for each network address and kind (D111). */
export function createForgeryRecorder(services: Services): RecordForgery {
  let recorded = new Set<string>()
  let tries = 0
  let since = 0
  return async (kind, address) => {
    const now = services.clock.now().getTime()
    // `now < since` after the clock was set back: without it nothing would be recorded until the old time.
    if (now - since >= minuteMs || now < since) {
      recorded = new Set()
      tries = 0
      since = now
    }
    const key = `${kind} ${address}`
    const ofThisMinute = recorded
    if (ofThisMinute.has(key) || tries >= maxTriesPerMinute) return
    // Before the statement, so that other calls at the same time add no second row.
    ofThisMinute.add(key)
    tries += 1
    try {
      await recordEvent(services.db, services, { kind, subject: 'unknown', address })
    } catch (error) {
      // The next call tries again.
      ofThisMinute.delete(key)
      // The caller is refused in any case.
      services.logger.warn(
        { err: error },
        'The security event of a refused call could not be stored. The caller was refused.',
      )
    }
  }
}
