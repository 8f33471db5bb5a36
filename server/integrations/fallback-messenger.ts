import type { GuardedMessenger } from './circuit-breaker.ts'

/**
 * Combines two gateways. A message that the first gateway refuses, or does not answer, goes to the second at once.
 * While the first is paused after failures, the second gets each message first. If the gateway that gets a message
 * first does not send it, the other one gets it even during its own pause. After a gateway has accepted a message, the
 * other does not get it, even if the message does not arrive. A message may arrive twice only when an answer is lost,
 * or when the process stops before it has recorded the answer.
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
