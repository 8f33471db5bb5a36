import type { Listen } from '#server/database/listener.ts'

/** Why a pause of a held request ends. `over`: the request must answer now. */
type WakeReason = 'changed' | 'tick' | 'over'

/** One request that is held open until a payment ends. */
type HeldRequest = {
  /** Resolves when something of the payment may have changed, after a tick, or when the request must answer. */
  pause(): Promise<WakeReason>
  /**
   * Resolves to the result of the work, or to undefined when the request must answer first: then the work continues.
   */
  untilOver<Result>(work: Promise<Result>): Promise<Result | undefined>
  leave(): void
}

export type PaymentWaits = {
  /** Undefined when `hasRoom` is false: the request then answers without being held. */
  join(request: WaitRequest): HeldRequest | undefined
  /** False when this process, or this applicant, holds as many requests as it may, and after `close`. */
  hasRoom(applicantId: string): boolean
  /** Ends all held requests; no further one is held. */
  close(): Promise<void>
}

type WaitRequest = { paymentId: string; applicantId: string; timeoutMs: number; responseClosed: AbortSignal }

/** A held request costs a socket and some kilobytes, and no database connection. */
const maxPerProcess = 2_000
/** Each tab of an applicant holds one request. */
const maxPerApplicant = 4

/** What this process knows of a held request. */
type HeldEntry = WaitRequest & { wake: (why: WakeReason) => void }

/** Time after which a held request reads its payment again. A notification of the database starts a read earlier. */
const usualTickMs = 1_000

/** Keeps the held requests of this process. Starts to listen to the database with the first one. */
export function createPaymentWaits(listen: Listen | undefined, tickMs = usualTickMs): PaymentWaits {
  const held = new Set<HeldEntry>()
  let isClosed = false
  let listener: ReturnType<Listen> | undefined

  // An empty id means that notifications of any payment may have been missed (see `Listen`).
  const wakeAll = (paymentId: string) => {
    for (const each of held) if (paymentId === '' || each.paymentId === paymentId) each.wake('changed')
  }

  function hasRoom(applicantId: string): boolean {
    if (isClosed || held.size >= maxPerProcess) return false
    let count = 0
    for (const each of held) if (each.applicantId === applicantId) count += 1
    return count < maxPerApplicant
  }

  return {
    hasRoom,
    join(request) {
      if (!hasRoom(request.applicantId)) return undefined
      listener ??= listen?.(wakeAll)
      return hold(held, request, tickMs)
    },
    async close() {
      isClosed = true
      for (const each of held) each.wake('over')
      await listener?.stop()
    },
  }
}

function hold(held: Set<HeldEntry>, request: WaitRequest, tickMs: number): HeldRequest {
  /** A change between two pauses is not lost. */
  let missed: WakeReason | undefined
  let isOver = false
  let resolvePause: ((why: WakeReason) => void) | undefined
  let resolveOver: (() => void) | undefined
  const over = new Promise<undefined>(resolve => (resolveOver = () => resolve(undefined)))

  function wake(why: WakeReason) {
    if (why === 'over') {
      isOver = true
      resolveOver?.()
    }
    if (resolvePause) resolvePause(why)
    else missed = why
  }

  const end = () => wake('over')
  const own: HeldEntry = { ...request, wake }
  held.add(own)
  const timer = setTimeout(end, request.timeoutMs)
  request.responseClosed.addEventListener('abort', end, { once: true })
  if (request.responseClosed.aborted) end()

  return {
    pause: () =>
      new Promise(resolve => {
        const why = isOver ? 'over' : missed
        missed = undefined
        if (why !== undefined) return resolve(why)
        const tick = setTimeout(() => wake('tick'), tickMs)
        resolvePause = reason => {
          clearTimeout(tick)
          resolvePause = undefined
          resolve(reason)
        }
      }),
    // When the work fails after its request was answered, the race ignores the error.
    untilOver: work => Promise.race([work, over]),
    leave() {
      clearTimeout(timer)
      request.responseClosed.removeEventListener('abort', end)
      held.delete(own)
    },
  }
}
