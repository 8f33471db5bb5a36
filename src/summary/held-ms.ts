/**
 * How long a place is still held, in milliseconds; 0 when the hold has ended. `holdSeconds`: the remaining seconds in the
 * response. `elapsedMs`: time since the response; negative when the response is newer than the last look at the clocks: then it
 * must not make an ended hold last.
 */
export function heldMs(holdSeconds: number, elapsedMs: number): number {
  return Math.max(0, holdSeconds * 1_000 - Math.max(0, elapsedMs))
}
