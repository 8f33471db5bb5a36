import { activityThrottleSeconds, inactivityWarningSeconds } from '#contract/codes.ts'

export type Inactivity =
  | { kind: 'active'; /** Milliseconds until the warning. */ checkAfterMs: number }
  | { kind: 'warning'; secondsLeft: number }
  | { kind: 'expired' }

/**
 * The state of an idle session (SES07–SES11). The limit comes from the token (S78); `last` and `now` are milliseconds
 * of the same clock.
 */
export function inactivityAt({
  limitSeconds,
  last,
  now,
}: {
  limitSeconds: number
  last: number
  now: number
}): Inactivity {
  // If the clock was set back, the session neither lasts for ever nor ends at once.
  const idleMs = Math.max(0, now - last)
  const leftMs = limitSeconds * 1_000 - idleMs
  if (leftMs <= 0) return { kind: 'expired' }
  const warningMs = inactivityWarningSeconds * 1_000
  if (leftMs <= warningMs) return { kind: 'warning', secondsLeft: Math.ceil(leftMs / 1_000) }
  return { kind: 'active', checkAfterMs: leftMs - warningMs }
}

/** Resets take effect at most once per 15 s (SES09). */
export function countsAsActivity({ last, now }: { last: number; now: number }): boolean {
  return now - last >= activityThrottleSeconds * 1_000 || now < last
}
