import type { Messenger } from './messenger.ts'

/** A gateway that has just failed is asked second for so long: a code has no time to wait for it again. */
const pauseMs = 60_000

/**
 * Two ways to the same people: what the first does not take goes by the second at once. What it took is never sent
 * again by the other, though it may not arrive: nobody gets two codes for one.
 */
export function createFallbackMessenger(first: Messenger, second: Messenger, now: () => Date): Messenger {
  let pausedUntil = 0
  return {
    async send(message) {
      const isPaused = pausedUntil > now().getTime()
      const [one, other] = isPaused ? [second, first] : [first, second]
      const result = await one.send(message)
      if (result.kind === 'sent') return result
      if (!isPaused) pausedUntil = now().getTime() + pauseMs
      const secondResult = await other.send(message)
      if (secondResult.kind === 'sent') return secondResult
      return { kind: 'failed', reason: `${result.reason}; ${secondResult.reason}` }
    },
  }
}
