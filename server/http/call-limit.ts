import { createAllowances, type TakeAllowance } from '#server/calls/rate-limit.ts'
import type { Clock } from '#server/calls/services.ts'

/**
 * Limits all calls of one applicant in this process (D69), so that no cheap account can make the service work without
 * end. A page calls at most once a second while it waits, and a few times for each screen and each save.
 */
export function createCallLimit(clock: Clock): TakeAllowance {
  return createAllowances(clock, { burst: 600, perMinute: 240 })
}
