import { type Counter, countUp } from '#server/database/usage-counts.ts'
import type { Refusal } from './call.ts'
import { type Networks, networksOf } from './networks.ts'
import { createAllowances, type Rate, refuseForSeconds } from './rate-limit.ts'
import type { Clock, Services } from './services.ts'

/** An applicant, and the address from which a call comes. */
export type Asker = { applicantId: string; address: string }

export function askerOf({ applicantId }: { applicantId: string }, { address }: { address: string }): Asker {
  return { applicantId, address }
}

export type AskerLimits = {
  /** All calls of one applicant. */
  applicant: Rate
  /** The calls of one applicant that do not count for a network: as many as an honest applicant needs. */
  share: Rate
  /** The further calls of all applicants of a network. */
  network: TakeOfNetwork
}

/**
 * Takes one call of a network. Returns 0, or the seconds until the network may have another one; infinity when they are
 * not known.
 */
export type TakeOfNetwork = (networks: Networks) => number | Promise<number>

/** Takes one call of an asker. Returns 0, or the seconds until the asker may call again. */
export type TakeOfAsker = (asker: Asker) => Promise<number>

/** Runs a call if its asker may call now; otherwise refuses it and names the seconds to wait. */
export type AskerLimit = <Result>(asker: Asker, run: () => Promise<Result>) => Promise<Result | Refusal>

/**
 * Limits the calls of each applicant. The calls beyond an applicant's share also count for the network, which has a limit
 * of its own (D120). Therefore an attacker with many accounts gets only their shares and what one network gets, and leaves
 * each other applicant of the network their own share.
 */
export function createAskerAllowances(
  services: Pick<Services, 'clock' | 'config' | 'secrets'>,
  { applicant, share, network }: AskerLimits,
): TakeOfAsker {
  const takeOfApplicant = createAllowances(services.clock, applicant)
  const takeOfShare = createAllowances(services.clock, share)
  return async ({ applicantId, address }) => {
    const applicantSeconds = takeOfApplicant(applicantId)
    if (applicantSeconds > 0) return applicantSeconds
    const shareSeconds = takeOfShare(applicantId)
    if (shareSeconds === 0) return 0
    // Without networks, as for the local machine in the demo, no network limits the call.
    const networks = networksOf(services, address)
    // Soon the share has another call, whatever the network does.
    return networks ? Math.min(shareSeconds, await network(networks)) : 0
  }
}

export function createAskerLimit(
  services: Pick<Services, 'clock' | 'config' | 'secrets'>,
  limits: AskerLimits,
): AskerLimit {
  const take = createAskerAllowances(services, limits)
  return async (asker, run) => {
    const seconds = await take(asker)
    return seconds > 0 ? refuseForSeconds(seconds) : run()
  }
}

/** A /24 or /48 holds many customers, so it gets this many times as many calls as an address or a /64. */
const wideNetworkFactor = 10

/** Limits networks in the memory of this process: for calls that cost only the time of this process. */
export function networksInProcess(clock: Clock, { burst, perMinute }: Rate): TakeOfNetwork {
  const takeOfNear = createAllowances(clock, { burst, perMinute })
  const takeOfWide = createAllowances(clock, {
    burst: burst * wideNetworkFactor,
    perMinute: perMinute * wideNetworkFactor,
  })
  return ({ near, wide }) => {
    // A call that the wide network refuses must not cost the near one.
    const wideSeconds = takeOfWide(wide, 0)
    const seconds = Math.max(wideSeconds, takeOfNear(near, wideSeconds > 0 ? 0 : 1))
    if (seconds === 0) takeOfWide(wide)
    return seconds
  }
}

/** Limits networks in the database: for calls that cost something outside, because all processes cause that cost (D120). */
export function networksInDatabase(
  { db }: Pick<Services, 'db'>,
  { subject, perHour }: { subject: string; perHour: number },
): TakeOfNetwork {
  const isCounted = async (network: string, limit: number) => {
    const counter: Counter = { key: `${subject} ${network}`, window: 'hour' }
    return (await countUp(db, [counter], limit)).has(counter.key)
  }
  return async ({ near, wide }) =>
    // In this order, so that the refused calls of one address cost its neighbours nothing. A call that the full wide network
    // refuses is counted for the near one, which loses nothing: the wide one refuses all its calls until both counts end.
    (await isCounted(near, perHour)) && (await isCounted(wide, perHour * wideNetworkFactor))
      ? 0
      : Number.POSITIVE_INFINITY
}
