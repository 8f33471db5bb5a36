import { createAskerAllowances, networksInProcess, type TakeOfAsker } from '#server/calls/asker-limit.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * Limits all calls of one applicant in this process, and the calls of one network beyond the share of each applicant (D69,
 * D120), so that no cheap accounts can make the service work without end. A page calls at most once a second while it
 * waits, and a few times for each screen and each save.
 */
export function createCallLimit(services: Pick<Services, 'clock' | 'config' | 'secrets'>): TakeOfAsker {
  return createAskerAllowances(services, {
    applicant: { burst: 600, perMinute: 240 },
    share: { burst: 200, perMinute: 60 },
    network: networksInProcess(services.clock, { burst: 600, perMinute: 240 }),
  })
}
