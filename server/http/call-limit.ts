import { createAskerAllowances, networksInProcess, type TakeOfAsker } from '#server/calls/asker-limit.ts'
import { createAllowances, type TakeAllowance } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * Limits all calls of one applicant in this process, and the calls of one network beyond the share of each applicant (D69,
 * D120), so that an attacker with many cheap accounts cannot keep the service busy. A page calls at most once a second while
 * it waits, and a few times for each screen and each save.
 */
export function createCallLimit(services: Pick<Services, 'clock' | 'config' | 'secrets'>): TakeOfAsker {
  return createAskerAllowances(services, {
    applicant: { burst: 600, perMinute: 240 },
    share: { burst: 200, perMinute: 60 },
    network: networksInProcess(services.clock, { burst: 600, perMinute: 240 }),
  })
}

/**
 * Limits the answers of writes that are stored for one applicant, because each is a row that is kept for a week (D13, D69). The
 * caller gives back the allowance of a write whose answer was not stored. The form saves after each pause of two seconds in
 * typing, so an hour of typing may have hundreds of writes.
 */
export function createKeyLimit({ clock }: Pick<Services, 'clock'>): TakeAllowance {
  return createAllowances(clock, { burst: 600, perMinute: 10 })
}
