import type { Messenger } from './messenger.ts'

/** After a failure the first gateway is tried second for this time, because a code cannot wait for another timeout. */
const pauseMs = 60_000

/**
 * Combines two gateways. A message that the first gateway refuses goes to the second at once. A message that one gateway
 * accepted is never sent by the other, even if it may not arrive, so that no applicant gets two codes.
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
