import type { Reach, UnreachableCause } from '#api/result.ts'

/**
 * The state of the connection that the banner shows (D34):
 * - `offline`: the browser reports no network;
 * - `foreign`: the network answers in place of the service, as the login page of a hotspot does: the applicant must do
 *   something there first;
 * - `no-answer`: no response, a damaged answer, or an error of a proxy in front of the service;
 * - `busy`: the service itself, by the mark of its answer, asks the portal to retry later. It can be reached: drafts are
 *   still sent, each after its backoff.
 */
export type ConnectionState = 'online' | 'offline' | 'busy' | UnreachableCause

/**
 * `reach`: what the newest attempt of any call said; `answered` before the first one. `createConnectivity` changes it also
 * without an attempt: to `answered` 30 s or more after `busy`, and to `no-answer` when the browser reports that the network has
 * gone, or is back: only an answer shows that the service is back too. `seemsOnline`: the browser may wrongly report a network,
 * but it is right when it reports none.
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

/** Whether drafts wait: the device has no network, or the service does not answer. */
export function isUnreachable(state: ConnectionState): boolean {
  return state !== 'online' && state !== 'busy'
}
