import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '#support/servers/portal.ts'
import type { Cluster } from './cluster.ts'
import { goToReceipt, type Promised } from './journey.ts'
import { createTraffic, type Traffic } from './traffic.ts'

/** Applicants who arrive at a rate, whether or not the service is fast enough for them. */
export type Demand = {
  traffic: Traffic
  /** For each journey that has started: what the service has confirmed to its applicant so far. */
  promises: readonly Promised[]
  /** Errors of journeys: refusals that no applicant should see. */
  errors: string[]
  /** Starts this many journeys, evenly over the seconds. Resolves when the last has started. */
  arrive(arrivals: { journeys: number; seconds: number }): Promise<void>
  /** Resolves when `count` journeys have reached this step; by default all that have started. @throws after four minutes */
  reach(step: keyof Promised, count?: number): Promise<void>
  /** Resolves when all journeys have ended, with or without an error. @throws when some have not after the time. */
  complete(limit: { timeoutSeconds: number }): Promise<void>
  /** Ends all journeys where they are, without an entry in `errors`. */
  abandon(): Promise<void>
}

export type DemandSettings = {
  /** Mean pause of an applicant after a step. */
  thinkMs: number
  /** The number of the first applicant. Two demands on one cluster must not share an applicant. 0 by default. */
  firstIndex?: number
  /** The journeys end after the sign-in. */
  onlySignIn?: boolean
}

export function createDemand(
  { origin, gateway }: Pick<Cluster, 'origin' | 'gateway'>,
  { thinkMs, firstIndex = 0, onlySignIn }: DemandSettings,
): Demand {
  const traffic = createTraffic()
  const promises: Promised[] = []
  const errors: string[] = []
  const running = new Set<Promise<void>>()
  const end = new AbortController()
  // Each waiting journey listens to it.
  setMaxListeners(0, end.signal)

  function startJourney(): void {
    const index = firstIndex + promises.length
    const subscriber = `67${String(index).padStart(7, '0')}`
    const promised: Promised = { phone: `237${subscriber}` }
    promises.push(promised)
    const journey = goToReceipt(
      {
        origin,
        traffic,
        codes: gateway.codes,
        thinkMs,
        onlySignsIn: onlySignIn,
        subscriber,
        signal: end.signal,
        localAddress: `127.${1 + (index % 200)}.${Math.floor(index / 200) % 250}.${1 + (index % 250)}`,
      },
      promised,
    )
      .catch((error: unknown) => void errors.push(String(error)))
      .finally(() => running.delete(journey))
    running.add(journey)
  }

  return {
    traffic,
    promises,
    errors,
    async arrive({ journeys, seconds }) {
      const startMs = performance.now()
      for (let count = 0; count < journeys && !end.signal.aborted; count += 1) {
        await pause(Math.max(0, startMs + (count * seconds * 1_000) / journeys - performance.now()))
        startJourney()
      }
    },
    async reach(step, count = promises.length) {
      await until(`the step ${step}`, async () =>
        promises.filter(promised => promised[step] !== undefined).length >= count ? true : undefined,
      )
    },
    async complete({ timeoutSeconds }) {
      const endMs = performance.now() + timeoutSeconds * 1_000
      while (running.size > 0 && performance.now() < endMs) await pause(200)
      if (running.size > 0) {
        const waiting = promises.filter(each => !each.isComplete).slice(0, 5)
        throw new Error(`${running.size} journeys did not end, for example ${JSON.stringify(waiting)}`)
      }
    },
    async abandon() {
      end.abort()
      await Promise.all(running)
    },
  }
}
