import type { Draft } from '#store/draft.ts'

const firstDelayMs = 2_000
const longestDelayMs = 5 * 60_000
/** The lower limit when the random number is near 0. */
const shortestDelayMs = 500

/**
 * Milliseconds until the next attempt after `attempts` failures: exponential with a limit and with full jitter, so that
 * the phones of a town do not all retry at the moment when their network is back. `random` is from 0 up to 1.
 * `minDelayMs` has the same limit, because `isWaiting` ignores a time that is further away.
 */
export function backoffMs(attempts: number, random: number, minDelayMs = 0): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20))
  return Math.max(shortestDelayMs, Math.min(longestDelayMs, minDelayMs), Math.round(random * ceiling))
}

/** A write in progress stays as it is: the retry sends it under the same key (D13). */
export function scheduleRetry(
  draft: Draft,
  { now, random, minDelayMs }: { now: number; random: number; minDelayMs?: number },
): Draft {
  const attempts = draft.attempts + 1
  return { ...draft, attempts, notBefore: now + backoffMs(attempts, random, minDelayMs) }
}

/** A time that is further away than the longest delay was set before the clock jumped: the attempt is due. */
export function isWaiting({ notBefore }: Draft, now: number): boolean {
  return notBefore > now && notBefore - now <= longestDelayMs
}

/** The draft is due now, also when the server had refused it because a payment order was open (D14). */
export function withoutBackoff(draft: Draft): Draft {
  const { heldByOrder: _, ...rest } = draft
  return { ...rest, attempts: 0, notBefore: 0 }
}
