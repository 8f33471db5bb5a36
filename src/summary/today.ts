import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import { type ClockReader, type Clocks, elapsedMs, readClocks } from './elapsed-ms.ts'

type TimeSources = {
  device: ClockReader
  /** `received`: both clocks of the device at the answer to `/version`; `time`: the ISO instant in it. */
  serverInfo: { current: () => { value: { time?: string | undefined; received: Clocks } | undefined } }
}

/**
 * Returns the day that the rules and the lists of papers use as "today" in Cameroon, YYYY-MM-DD (S73). The clock of a
 * phone can be wrong by a day or by years (D23), so the time since the last answer to `/version` is added to the time
 * in that answer. Without a time from `/version` the clock of the device counts.
 */
export function today({ device, serverInfo }: TimeSources): string {
  const now = readClocks(device)
  const { time = '', received = now } = serverInfo.current().value ?? {}
  const serverMs = Date.parse(time) + elapsedMs(received, now)
  return dayIn(homeTimeZone, new Date(serverMs || now.wallMs))
}
