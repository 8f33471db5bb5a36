import type { Messenger } from './messenger.ts'

/** A gateway that has just failed is asked second for so long: a code has no time to wait for it again. */
const restMilliseconds = 60_000

/**
 * Two ways to the same people: what the first does not take goes by the second at once. What it took is never sent
 * again by the other, though it may not arrive: nobody gets two codes for one.
 */
export function createFallBack(first: Messenger, second: Messenger, now: () => Date): Messenger {
  let restsUntil = 0
  return {
    async send(message) {
      const rests = restsUntil > now().getTime()
      const [one, other] = rests ? [second, first] : [first, second]
      const result = await one.send(message)
      if (result.kind === 'sent') return result
      if (!rests) restsUntil = now().getTime() + restMilliseconds
      const rescued = await other.send(message)
      if (rescued.kind === 'sent') return rescued
      return { kind: 'failed', reason: `${result.reason}; ${rescued.reason}` }
    },
  }
}
