import { type Call, refuse, type Refusal } from '#server/calls/call.ts'
import { networksOf } from '#server/calls/networks.ts'
import { createAllowances, refuseForSeconds } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

/** Wrong codes from one IPv4 address or IPv6 /64 (near), and from one IPv4 /24 or IPv6 /48 (wide), in this process. */
const nearRate = { burst: 10, perMinute: 1 }
const wideRate = { burst: 60, perMinute: 10 }

/**
 * Checks the code of the office staff (OFF18). Only wrong codes count, and only in the networks from which they come,
 * so a stranger in another network cannot keep staff from ending the mode (D69). Without a configured code the call
 * does not exist, and the staff clear the data of the browser instead (D38).
 */
export function kioskHandler(
  services: Services,
): (call: Pick<Call<'endKiosk'>, 'body' | 'transport'>) => Promise<Record<string, never> | Refusal> {
  const { kioskCode } = services.config
  const takeOfNear = createAllowances(services.clock, nearRate)
  const takeOfWide = createAllowances(services.clock, wideRate)
  return async ({ body, transport }) => {
    if (kioskCode === undefined) return refuse('not-found')
    const { address } = transport
    const { near, wide } = networksOf(services, address) ?? { near: address, wide: address }
    const seconds = Math.max(takeOfNear(near, 0), takeOfWide(wide, 0))
    if (seconds > 0) return refuseForSeconds(seconds)
    if (isEqualConstantTime(body.code.trim(), kioskCode)) return {}
    takeOfNear(near)
    takeOfWide(wide)
    return refuse('kiosk-code-wrong')
  }
}
