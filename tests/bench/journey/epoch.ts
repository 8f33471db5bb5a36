/**
 * Converts a time of `performance.now` to milliseconds since 1970; without an argument returns the present time. The
 * pages convert their times in the same way.
 */
export function epochMs(ms = performance.now()): number {
  return performance.timeOrigin + ms
}
