const first = 2_000
const longest = 5 * 60_000
/** Even the luckiest draw leaves the server a moment. */
const shortest = 500

/**
 * Milliseconds until the next try after so many failed ones: exponential, capped, with full jitter, so that a town
 * whose line comes back does not arrive at one instant. `random` is from 0 up to 1; `atLeast` is the server's wish.
 */
export function backoff(attempts: number, random: number, atLeast = 0): number {
  const ceiling = Math.min(longest, first * 2 ** Math.min(attempts - 1, 20))
  return Math.max(shortest, atLeast, Math.round(random * ceiling))
}
