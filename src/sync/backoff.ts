const firstDelayMs = 2_000
const longestDelayMs = 5 * 60_000
/** Even the luckiest draw leaves the server a moment. */
const shortestDelayMs = 500

/**
 * Milliseconds until the next try after so many failed ones: exponential, capped, with full jitter, so that a town
 * whose line comes back does not arrive at one instant. `random` is from 0 up to 1; `atLeast` is the server's wish.
 */
export function backoffMs(attempts: number, random: number, minDelayMs = 0): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20))
  return Math.max(shortestDelayMs, minDelayMs, Math.round(random * ceiling))
}
