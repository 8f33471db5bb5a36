import type { Reach, UnreachableCause } from '#api/result.ts'

/**
 * The state of the connection as the page says it (D34):
 * - `offline`: the browser reports no network;
 * - `foreign`: the network answers in place of the service, so it wants something from the applicant first;
 * - `no-answer`: no response, or the service is down behind its proxy;
 * - `busy`: the service itself asks the portal to retry later. It can be reached: drafts are still sent, each after its
 *   backoff.
 */
export type ConnectionState = 'online' | 'offline' | 'busy' | UnreachableCause

/**
 * `reach`: what the last attempt of a call said. `seemsOnline`: the browser may wrongly report a network, but it is right
 * when it reports none.
 */
export function connectionStateOf({
  seemsOnline,
  reach,
}: {
  seemsOnline: boolean
  reach: Reach
}): ConnectionState {
  if (!seemsOnline) return 'offline'
  return reach === 'answered' ? 'online' : reach
}

/** Whether drafts wait until the service answers again. */
export function isDown(state: ConnectionState): boolean {
  return state !== 'online' && state !== 'busy'
}
