/**
 * Converts a time of `performance.now` to milliseconds since 1970; without an argument the present time. The pages tell
 * theirs in the same way.
 */
export function epochMs(ms = performance.now()): number {
  return performance.timeOrigin + ms
}
