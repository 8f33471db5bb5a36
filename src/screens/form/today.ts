import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#portal/services.ts'

const plausible = 48 * 60 * 60 * 1_000

/**
 * The day the rules go by (S73). Phones' clocks lie, some by years (D23): this one's is believed while it runs a
 * little ahead of the moment the server last named, as a true one does.
 */
export function today({ device, serverInfo }: Pick<Services, 'device' | 'serverInfo'>): string {
  const named = Date.parse(serverInfo.current().value?.time ?? '')
  const ahead = device.now() - named
  const believed = Number.isNaN(named) || (ahead >= 0 && ahead < plausible)
  return dayIn(homeTimeZone, new Date(believed ? device.now() : named))
}
