import type { Reach, UnreachableCause } from '#api/result.ts'

/**
 * The state of the connection as the page says it (D34):
 * - `offline`: the browser reports no network;
 * - `foreign`: the network answers in place of the service, so it wants something from the applicant first;
 * - `no-answer`: no response, or the service is down behind its proxy;
 * - `busy`: the service itself asks to come later. It can be reached, so nothing waits for it but the next attempt.
 */
export type LineState = 'online' | 'offline' | 'busy' | UnreachableCause

/** `reach`: of the last attempt of a call. A browser that reports a network may be wrong, one without is right. */
export function lineStateOf({ seemsOnline, reach }: { seemsOnline: boolean; reach: Reach }): LineState {
  if (!seemsOnline) return 'offline'
  return reach === 'answered' ? 'online' : reach
}

/** Whether drafts wait until the service answers again. */
export function isDown(state: LineState): boolean {
  return state !== 'online' && state !== 'busy'
}
