import type { GuardedMessenger } from './circuit-breaker.ts'

/**
 * Combines two gateways. A message that the first gateway refuses, or does not answer, goes to the second at once. While
 * the first is paused after failures, the second gets each message first. If the one that gets it first does not send it, the
 * other gets it even during its own pause. Once a gateway has answered that it accepts a message, the other never sends it,
 * even if the message does not arrive. Only when an answer is lost may the message arrive twice.
 */
export function createFallbackMessenger(first: GuardedMessenger, second: GuardedMessenger): GuardedMessenger {
  return {
    isFailing: () => first.isFailing() && second.isFailing(),
    isPaused: () => first.isPaused() && second.isPaused(),
    async send(message) {
      const [one, other] = first.isPaused() ? [second, first] : [first, second]
      const result = await one.send(message)
      if (result.kind === 'sent') return result
      const otherResult = await other.send(message)
      if (otherResult.kind === 'sent') return otherResult
      const isMessageRefused = result.isMessageRefused === true && otherResult.isMessageRefused === true
      return {
        kind: 'failed',
        reason: `${result.reason}; ${otherResult.reason}`,
        ...(isMessageRefused ? { isMessageRefused } : {}),
      }
    },
  }
}
