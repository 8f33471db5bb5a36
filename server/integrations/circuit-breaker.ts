import type { Messenger } from './messenger.ts'

export type GuardedMessenger = Messenger & Required<Pick<Messenger, 'isPaused' | 'isFailing'>>

/**
 * Pauses a gateway after some failures in a row, because each message would wait for the whole timeout of a gateway
 * that hangs. The caller asks `isPaused()` first: `send()` itself refuses nothing. After the pause one message tries
 * the gateway, and the gateway stays paused until that message has an answer. A refusal of one message is no failure:
 * otherwise a few wrong numbers would stop the messages to everybody.
 */
export function withCircuitBreaker(
  gateway: Messenger,
  now: () => Date,
  { maxFailures, pauseMs }: { maxFailures: number; pauseMs: number },
): GuardedMessenger {
  let failures = 0
  let pausedUntil = 0
  let isTrying = false
  /** False when the end is farther away than a pause is long: the clock was ahead then, and has been set back (D95). */
  const isBeforeEnd = () => {
    const leftMs = pausedUntil - now().getTime()
    return leftMs > 0 && leftMs <= pauseMs
  }
  return {
    isFailing: () => failures >= maxFailures,
    isPaused: () => failures >= maxFailures && (isTrying || isBeforeEnd()),
    async send(message) {
      isTrying = failures >= maxFailures
      const result = await gateway.send(message).finally(() => {
        isTrying = false
      })
      failures = result.kind === 'sent' || result.isMessageRefused === true ? 0 : failures + 1
      // Only read while the gateway is failing.
      pausedUntil = now().getTime() + pauseMs
      return result
    },
  }
}
