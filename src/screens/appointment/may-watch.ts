import { lateAfterDays } from '#contract/watch.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** Whether an earlier date is worth waiting for: there is none yet, or only a late one. `now` is the server's time. */
export function mayWatch(dates: readonly string[], now: string | undefined): boolean {
  const [first] = dates
  if (first === undefined) return true
  return Date.parse(first) - Date.parse(now ?? '') >= lateAfterDays * dayMs
}
