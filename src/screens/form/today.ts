import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { ServerInfo } from '#contract/session.ts'
import type { Services } from '#app/services.ts'

const maxAheadMs = 48 * 60 * 60 * 1_000

/** When `today` first read each answer of the server, in milliseconds of the monotonic clock. */
const firstReadMs = new WeakMap<ServerInfo, number>()

/**
 * The day that the rules use as "today" in Cameroon, YYYY-MM-DD (S73). The clock of a phone can be wrong by years
 * (D23), so its time counts only while it is 0 to 48 hours after the time of the server: that of the last answer, plus
 * the time since this function first read it. Otherwise the time of the server counts. Without an answer the device
 * clock counts.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const serverTimeMs = timeOfServerMs(serverInfo.current().value, device.monotonic())
  const aheadMs = device.now() - serverTimeMs
  const isClockUsable = Number.isNaN(serverTimeMs) || (aheadMs >= 0 && aheadMs < maxAheadMs)
  return dayIn(homeTimeZone, new Date(isClockUsable ? device.now() : serverTimeMs))
}

/** NaN when the server sent no time. */
function timeOfServerMs(info: ServerInfo | undefined, nowMs: number): number {
  if (info === undefined) return NaN
  const readMs = firstReadMs.get(info) ?? nowMs
  firstReadMs.set(info, readMs)
  return Date.parse(info.time ?? '') + nowMs - readMs
}
