import { refusalEventKinds } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import { recordEvent } from '#server/features/session/security-events.ts'

export type RecordForgery = (kind: (typeof refusalEventKinds)[number], address: string) => Promise<void>

/** Rows that one process adds in a minute at most: a flood must not fill the table. */
const maxRowsPerMinute = 60
const minuteMs = 60_000

/** Records calls of foreign pages and with forged tokens: once a minute for each network address and kind (D111). */
export function createForgeryRecorder(services: Services): RecordForgery {
  let recorded = new Set<string>()
  let since = 0
  return async (kind, address) => {
    const now = services.clock.now().getTime()
    // `now < since` after the clock was set back: without it nothing would be recorded until the old time.
    if (now - since >= minuteMs || now < since) {
      recorded = new Set()
      since = now
    }
    const key = `${kind} ${address}`
    if (recorded.has(key) || recorded.size >= maxRowsPerMinute) return
    recorded.add(key)
    try {
      await recordEvent(services.db, services, { kind, subject: 'unknown', address })
    } catch (error) {
      // The caller is refused in any case.
      services.logger.warn(
        { err: error },
        'The security event of a refused call could not be stored. The caller was refused.',
      )
    }
  }
}
