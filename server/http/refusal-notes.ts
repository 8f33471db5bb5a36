import { refusalEventKinds } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import { recordEvent } from '#server/features/session/security-events.ts'

export type NoteRefusal = (kind: (typeof refusalEventKinds)[number], address: string) => Promise<void>

/** Rows that one process adds in a minute: a flood must not fill the table. */
const maxRowsPerMinute = 60
const minuteMs = 60_000

/** Records callers whom the server refuses: once a minute for each address and kind. */
export function createRefusalNotes(services: Services): NoteRefusal {
  let noted = new Set<string>()
  let since = 0
  return async (kind, address) => {
    const now = services.clock.now().getTime()
    if (now - since >= minuteMs) {
      noted = new Set()
      since = now
    }
    const key = `${kind} ${address}`
    if (noted.has(key) || noted.size >= maxRowsPerMinute) return
    noted.add(key)
    try {
      await recordEvent(services.db, services, { kind, subject: 'unknown', address })
    } catch (error) {
      // The caller is refused in any case.
      services.logger.warn({ err: error }, 'A refused call could not be recorded.')
    }
  }
}
