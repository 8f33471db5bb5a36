import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Services } from '#portal/services.ts'

/** The day the rules go by: the server's when it has said one, since phones' clocks lie (D23, S73). */
export function today({ device, queryClient, queries }: Services): string {
  const known = queryClient.getQueryState(queries.version().queryKey)
  const serverTime = Date.parse(known?.data?.time ?? '')
  const lag = known && !Number.isNaN(serverTime) ? serverTime - known.dataUpdatedAt : 0
  return dayIn(homeTimeZone, new Date(device.now() + lag))
}
