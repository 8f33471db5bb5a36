import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#app/services.ts'

const maxAheadMs = 48 * 60 * 60 * 1_000

/**
 * The day that the rules use as "today" in Cameroon, YYYY-MM-DD (S73). The clock of a phone can be wrong by years
 * (D23), so its time counts only while it is 0 to 48 hours after the time of the last server answer. Otherwise the time
 * of that answer counts. Without an answer the device clock counts.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const serverTimeMs = Date.parse(serverInfo.current().value?.time ?? '')
  const aheadMs = device.now() - serverTimeMs
  const isClockUsable = Number.isNaN(serverTimeMs) || (aheadMs >= 0 && aheadMs < maxAheadMs)
  return dayIn(homeTimeZone, new Date(isClockUsable ? device.now() : serverTimeMs))
}
