import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#app/services.ts'

const longestSleepMs = 48 * 60 * 60 * 1_000

/**
 * The day that the rules use as "today" in Cameroon, YYYY-MM-DD (S73). The clock of a phone can be wrong by a day or by years
 * (D23), so the time since the last answer to `/version` is added to the time in that answer. The monotonic clock may stand
 * still while the phone sleeps: when the wall clock has gone further by less than 48 hours, the difference counts as sleep.
 * Any other difference is ignored. Without a time from `/version` the clock of the device counts.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const wallMs = device.now()
  const { time = '', received } = serverInfo.current().value ?? {}
  const awakeMs = device.monotonic() - (received?.monotonicMs ?? 0)
  const sleptMs = wallMs - (received?.wallMs ?? 0) - awakeMs
  const isSleep = sleptMs >= 0 && sleptMs < longestSleepMs
  const serverMs = Date.parse(time) + awakeMs + (isSleep ? sleptMs : 0)
  return dayIn(homeTimeZone, new Date(serverMs || wallMs))
}
