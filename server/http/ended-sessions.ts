/** The sessions that this process has found ended. */
export type EndedSessions = { has(sessionId: string): boolean; add(sessionId: string): void }

/** Limits the memory to some megabytes: a full set is cleared, and then each session is looked up again. */
const maxSessions = 20_000

/**
 * An ended session never begins again, but its access token expires only some minutes later. The server refuses such a token
 * without a query, and before the limits: so a thief whose session the owner has ended cannot use up the owner's calls (D69).
 */
export function createEndedSessions(): EndedSessions {
  const ended = new Set<string>()
  return {
    has: sessionId => ended.has(sessionId),
    add(sessionId) {
      if (ended.size >= maxSessions) ended.clear()
      ended.add(sessionId)
    },
  }
}
