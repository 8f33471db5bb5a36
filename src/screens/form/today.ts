import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#app/services.ts'
import { elapsedMs, readClocks } from '#summary/elapsed-ms.ts'

/**
 * The day that the rules use as "today" in Cameroon, YYYY-MM-DD (S73). The clock of a phone can be wrong by a day or by years
 * (D23), so the time since the last answer to `/version` is added to the time in that answer. Without a time from `/version`
 * the clock of the device counts.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const now = readClocks(device)
  const { time = '', received = now } = serverInfo.current().value ?? {}
  const serverMs = Date.parse(time) + elapsedMs(received, now)
  return dayIn(homeTimeZone, new Date(serverMs || now.wallMs))
}
