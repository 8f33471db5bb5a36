import { refuse, type Refusal } from './call.ts'
import type { Clock } from './services.ts'

type Allowance = { left: number; at: number }

/**
 * Calls that an asker may make at once, and how many are added each minute. Here an asker is any text that names who calls:
 * an id, or the hash of a network.
 */
export type Rate = { burst: number; perMinute: number }

/** Runs a call if its asker has an allowance left; otherwise refuses it and names the seconds to wait. */
export type RateLimit = <Result>(asker: string, run: () => Promise<Result>) => Promise<Result | Refusal>

/**
 * Limits the calls of each asker in this process, in memory: a limit against overload must itself cost nothing. Each
 * process counts alone, so N processes allow N times the rate (D97).
 */
export function createRateLimit(clock: Clock, rate: Rate): RateLimit {
  const take = createAllowances(clock, rate)
  return async (asker, run) => {
    const seconds = take(asker)
    return seconds > 0 ? refuseForSeconds(seconds) : run()
  }
}

/** Refuses a call, and names the seconds until its asker may call again. */
export function refuseForSeconds(seconds: number): Refusal {
  return refuse('too-many-requests', { data: { seconds } })
}

/**
 * Takes one call from the allowance of an asker. `cost` 0 only asks; -1 gives one call back. Returns 0 when the allowance had
 * a call before that, else the seconds until it has one.
 */
export type TakeAllowance = (asker: string, cost?: -1 | 0 | 1) => number

export function createAllowances(clock: Clock, { burst, perMinute }: Rate): TakeAllowance {
  const allowances = new Map<string, Allowance>()
  const fullAfterMs = (burst / perMinute) * 60_000
  let nextSweepMs = 0
  return (asker, cost = 1) => {
    const now = clock.now().getTime()
    if (now >= nextSweepMs) {
      dropUntouched(allowances, now - fullAfterMs)
      nextSweepMs = now + sweepMs
    }
    const { left, at } = allowances.get(asker) ?? { left: burst, at: now }
    // A clock that jumps back adds nothing.
    const added = (Math.max(0, now - at) * perMinute) / 60_000
    const available = Math.min(burst, left + added)
    // The asker whose last call, allowed or refused, is the oldest comes first in the map.
    allowances.delete(asker)
    if (allowances.size >= maxAskers) dropOldest(allowances)
    const isAllowed = available >= 1 || cost < 0
    allowances.set(asker, { left: isAllowed ? Math.min(burst, available - cost) : available, at: now })
    return available >= 1 ? 0 : Math.ceil(((1 - available) * 60) / perMinute)
  }
}

/**
 * Drops the askers without a call since this time. Their allowance is full again, so they are as askers who have never
 * called.
 */
function dropUntouched(allowances: Map<string, Allowance>, sinceMs: number): void {
  for (const [asker, { at }] of allowances) {
    if (at > sinceMs) return
    allowances.delete(asker)
  }
}

/** Limits the memory to some megabytes: at this number a new asker takes the place of the oldest. */
const maxAskers = 50_000

/** Shortest time between two runs of `dropUntouched`. */
const sweepMs = 60_000

function dropOldest(allowances: Map<string, Allowance>): void {
  const [oldest] = allowances.keys()
  if (oldest !== undefined) allowances.delete(oldest)
}
