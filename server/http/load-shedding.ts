import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EndpointName } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/open-endpoints.ts'
import type { PoolLoad } from '#server/database/bounded-pool.ts'
import { sendRefusal } from './failures.ts'

/**
 * The order in which a busy process refuses requests: first new sign-ins, then reads, and last the work of applicants
 * who are signed in: saves, bookings, payments, and the refresh of their session.
 */
export type Priority = 'sign-in' | 'read' | 'work'

declare module 'fastify' {
  interface FastifyContextConfig {
    priority?: Priority
  }
}

/** Above one of its limits a priority is refused. */
type Limits = { requestsPerConnection: number; longestWaitMs: number; loopDelayMs: number }

const limits: Record<Priority, Limits> = {
  'sign-in': { requestsPerConnection: 5, longestWaitMs: 250, loopDelayMs: 500 },
  read: { requestsPerConnection: 15, longestWaitMs: 1_000, loopDelayMs: 2_000 },
  work: { requestsPerConnection: 40, longestWaitMs: 2_000, loopDelayMs: 4_000 },
}

type ProcessLoad = {
  pool: () => PoolLoad
  /** How late the event loop of this process is. */
  loopDelayMs: () => number
}

export type LoadShedding = {
  load: ProcessLoad
  onShed?: ((priority: Priority) => void) | undefined
}

/** Returns the priority of a call; a call with an idempotency key belongs to the work of an applicant. */
export function priorityOf(name: EndpointName, { method, access }: Endpoint): Priority {
  if (name === 'auth' || name === 'getSiteKey' || name === 'captchaChallenge') return 'sign-in'
  if (name === 'readPayment') return 'work'
  return method === 'GET' || access === 'open' ? 'read' : 'work'
}

/**
 * Refuses a call at its arrival, before anything has happened for it, when this process has too many others. The client
 * may send the same call again after `Retry-After`.
 */
export function shedLoad(api: FastifyInstance, { load, onShed }: LoadShedding): void {
  const inProgress = new Set<FastifyRequest>()
  api.addHook('onRequest', async (request, reply) => {
    const { priority } = request.routeOptions.config
    if (priority === undefined || isHeld(request)) return undefined
    if (
      isAbove(limits[priority], { ...load.pool(), requests: inProgress.size, delayMs: load.loopDelayMs() })
    ) {
      onShed?.(priority)
      return sendRefusal(request, reply, { refused: 'busy' })
    }
    inProgress.add(request)
    reply.raw.once('close', () => inProgress.delete(request))
    return undefined
  })
  api.addHook('onResponse', async request => void inProgress.delete(request))
}

/** A held request (D68) waits without work for this process. */
function isHeld({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'wait' in query
}

function isAbove(limit: Limits, now: PoolLoad & { requests: number; delayMs: number }): boolean {
  return (
    now.requests >= limit.requestsPerConnection * now.size ||
    now.longestWaitMs >= limit.longestWaitMs ||
    now.delayMs >= limit.loopDelayMs
  )
}

const sampleMs = 1_000
const resolutionMs = 10

/** Measures the event loop. The result is the average of the last second. */
export function watchEventLoop(): { delayMs: () => number; stop: () => void } {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // Without a sample the histogram has no mean.
    delayMs = histogram.count > 0 ? Math.max(0, histogram.mean / 1e6 - resolutionMs) : 0
    histogram.reset()
  }, sampleMs)
  timer.unref()
  return {
    delayMs: () => delayMs,
    stop() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
