import { type Call, refuse, type Refusal } from '#server/calls/call.ts'
import { createAllowances } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

/** Wrong codes from one address, and from all addresses together. */
const addressRate = { burst: 10, perMinute: 1 }
const totalRate = { burst: 60, perMinute: 10 }

/**
 * Checks the code of the office staff (OFF18). Only wrong codes count: each process allows some of an address, then one a
 * minute. Without a configured code the call does not exist, and the staff clear the data of the browser instead (D38).
 */
export function kioskHandler(
  services: Services,
): (call: Pick<Call<'endKiosk'>, 'body' | 'transport'>) => Promise<Record<string, never> | Refusal> {
  const { kioskCode } = services.config
  const takeOfAddress = createAllowances(services.clock, addressRate)
  const takeOfAll = createAllowances(services.clock, totalRate)
  return async ({ body, transport }) => {
    if (kioskCode === undefined) return refuse('not-found')
    const { address } = transport
    const seconds = Math.max(takeOfAddress(address, 0), takeOfAll('', 0))
    if (seconds > 0) return refuse('too-many-requests', { data: { seconds } })
    if (isEqualConstantTime(body.code.trim(), kioskCode)) return {}
    takeOfAddress(address)
    takeOfAll('')
    return refuse('kiosk-code-wrong')
  }
}
