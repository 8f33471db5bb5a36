import type { GuardedMessenger } from './circuit-breaker.ts'

/**
 * Combines two gateways. A message that the first gateway refuses goes to the second at once; while the first is paused
 * after a failure, messages go to the second at once. A message that one gateway accepted is never sent by the other, even
 * if it may not arrive, so that no applicant gets two codes.
 */
export function createFallbackMessenger(first: GuardedMessenger, second: GuardedMessenger): GuardedMessenger {
  return {
    isFailing: () => first.isFailing() && second.isFailing(),
    isPaused: () => first.isPaused() && second.isPaused(),
    async send(message) {
      const [one, other] = first.isPaused() ? [second, first] : [first, second]
      const result = await one.send(message)
      if (result.kind === 'sent') return result
      const secondResult = await other.send(message)
      if (secondResult.kind === 'sent') return secondResult
      const isMessageRefused = result.isMessageRefused === true && secondResult.isMessageRefused === true
      return {
        kind: 'failed',
        reason: `${result.reason}; ${secondResult.reason}`,
        ...(isMessageRefused ? { isMessageRefused } : {}),
      }
    },
  }
}
