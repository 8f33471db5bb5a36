import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#app/services.ts'

const maxClockErrorMs = 48 * 60 * 60 * 1_000

/**
 * The day the rules go by (S73). Phones' clocks lie, some by years (D23): this one's is believed while it runs a
 * little ahead of the moment the server last named, as a true one does.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const serverDay = Date.parse(serverInfo.current().value?.time ?? '')
  const ahead = device.now() - serverDay
  const day = Number.isNaN(serverDay) || (ahead >= 0 && ahead < maxClockErrorMs)
  return dayIn(homeTimeZone, new Date(day ? device.now() : serverDay))
}
