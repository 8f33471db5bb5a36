import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointName } from '#contract/endpoints.ts'
import type { Endpoint } from '#contract/sign-in-endpoints.ts'
import type { Refusal } from '#server/calls/call.ts'
import type { PoolLoad } from '#server/database/bounded-pool.ts'
import type { OpenDatabase } from '#server/database/connect.ts'
import { type CountedCall, runCounted } from '#server/calls/outside-wait.ts'
import { sendRefusal } from './failures.ts'

/**
 * The order in which a busy process refuses requests: first new sign-ins, then reads, and last the work of applicants
 * who are signed in: saves, payments, changes of an appointment, and the refresh of their session. New bookings are
 * counted apart and may wait longest, because thousands come in the same second of a release day (D119).
 */
export type Priority = 'sign-in' | 'read' | 'work' | 'booking'

declare module 'fastify' {
  interface FastifyContextConfig {
    priority?: Priority
  }
}

/**
 * A call is refused when one of the limits of its priority is reached. A call waits several times: for its connections one
 * after the other, and for the event loop. So an admitted call may take some times as long as its limits.
 */
type Limits = { requestsPerConnection: number; longestWaitMs: number; loopDelayMs: number }

const limits: Record<Priority, Limits> = {
  'sign-in': { requestsPerConnection: 3, longestWaitMs: 150, loopDelayMs: 250 },
  read: { requestsPerConnection: 10, longestWaitMs: 500, loopDelayMs: 1_000 },
  work: { requestsPerConnection: 40, longestWaitMs: 1_000, loopDelayMs: 2_000 },
  booking: { requestsPerConnection: 80, longestWaitMs: 2_000, loopDelayMs: 4_000 },
}

type ProcessLoad = {
  pool: () => PoolLoad
  /** How late the event loop of this process is. */
  loopDelayMs: () => number
}

/**
 * The embedded database has one connection and runs in the event loop. A long statement there, as the jobs have at a
 * start, is no overload, so only the number of calls counts.
 */
export function processLoadOf(
  { kind, load }: Pick<OpenDatabase, 'kind' | 'load'>,
  loopDelayMs: () => number,
): ProcessLoad {
  if (kind === 'postgresql') return { pool: load, loopDelayMs }
  return { pool: () => ({ ...load(), longestWaitMs: 0 }), loopDelayMs: () => 0 }
}

export type LoadShedding = {
  load: ProcessLoad
  onShed?: ((priority: Priority) => void) | undefined
}

/**
 * Returns the priority of a call. Of an applicant who is signed in, the poll of a payment is work, and so is a call that is not
 * a GET, except a new booking. The open calls that follow a code, such as `login`, are refused only with the reads.
 */
export function callPriorityOf(name: EndpointName, { method, access }: Endpoint): Priority {
  if (name === 'auth' || name === 'getSiteKey' || name === 'captchaChallenge') return 'sign-in'
  if (name === 'readPayment') return 'work'
  if (name === 'createAppointment') return 'booking'
  return method === 'GET' || access === 'open' ? 'read' : 'work'
}

/** Sends a refusal; pages send it as a page. */
type RefuseCall = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => unknown

/**
 * Refuses a call at its arrival, before anything has happened for it, when this process has too many others. The client
 * may send the same call again after `Retry-After`. A call counts from when its body has arrived: a body that a client
 * sends slowly, or never, costs a socket only. So the limits are checked again when the body has arrived. Each `api` has its
 * own counts: the calls of the contract and the pages around a card payment do not count against each other.
 */
export function shedLoad(
  api: FastifyInstance,
  { load, onShed }: LoadShedding,
  refuse: RefuseCall = sendRefusal,
): void {
  const bookings = createCallCount()
  const otherCalls = createCallCount()
  const calls = new WeakMap<FastifyRequest, Arrived>()
  /** `count`: where the call counts; undefined when the call has no priority. `isRefused`: the refusal has been sent. */
  const refuseWhenBusy = (request: FastifyRequest, reply: FastifyReply) => {
    const { priority } = request.routeOptions.config
    if (priority === undefined) return { isRefused: false, count: undefined }
    const count = priority === 'booking' ? bookings : otherCalls
    const now = { ...load.pool(), requests: count.working(), delayMs: load.loopDelayMs() }
    const isRefused = reachesLimit(limits[priority], now)
    if (isRefused) {
      onShed?.(priority)
      refuse(request, reply, { refused: 'busy' })
    }
    return { isRefused, count }
  }
  api.addHook('onRequest', async (request, reply) =>
    refuseWhenBusy(request, reply).isRefused ? reply : undefined,
  )
  // With a callback and after the body was read: only then the handler runs inside `runCounted`.
  api.addHook('preHandler', (request, reply, done) => {
    const { isRefused, count } = refuseWhenBusy(request, reply)
    if (isRefused) return
    if (count === undefined) {
      done()
      return
    }
    const call = count.arrive()
    calls.set(request, call)
    reply.raw.once('close', () => call.leave())
    runCounted(call, done)
  })
  // From here on only the client is slow, which must not make the process refuse others.
  api.addHook('onSend', async (request, _reply, payload) => {
    calls.get(request)?.leave()
    return payload
  })
}

type Arrived = CountedCall & { leave(): void }

/** A call that waits costs a socket and some kilobytes. Beyond this number a call counts as load although it waits. */
const maxWaiting = 3_000

/** Counts the calls that have arrived and have no answer yet, without those that wait for something outside. */
function createCallCount() {
  const working = new Set<Arrived>()
  const waiting = new Set<Arrived>()
  function arrive(): Arrived {
    // One call may wait for several things at once.
    let waits = 0
    const call: Arrived = {
      startWait() {
        waits += 1
        if (waiting.size < maxWaiting && working.delete(call)) waiting.add(call)
      },
      endWait() {
        waits -= 1
        if (waits === 0 && waiting.delete(call)) working.add(call)
      },
      leave() {
        working.delete(call)
        waiting.delete(call)
      },
    }
    working.add(call)
    return call
  }
  return { working: () => working.size, arrive }
}

function reachesLimit(limit: Limits, now: PoolLoad & { requests: number; delayMs: number }): boolean {
  return (
    now.requests >= limit.requestsPerConnection * now.size ||
    now.longestWaitMs >= limit.longestWaitMs ||
    now.delayMs >= limit.loopDelayMs
  )
}

const sampleMs = 1_000
const resolutionMs = 10

/** Measures how late the event loop is. `delayMs` returns the average of the last second. */
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
