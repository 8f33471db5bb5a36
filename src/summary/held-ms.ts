/**
 * Returns how long a place is still held, in milliseconds; 0 when the hold has ended. `holdSeconds`: the remaining
 * seconds in the response. `elapsedMs`: the time since the response; negative when the clocks were read before the
 * response came. A negative time counts as 0, so that it does not lengthen the hold.
 */
export function heldMs(holdSeconds: number, elapsedMs: number): number {
  return Math.max(0, holdSeconds * 1_000 - Math.max(0, elapsedMs))
}
