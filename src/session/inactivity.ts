import { activityThrottleSeconds, inactivityWarningSeconds } from '#contract/codes.ts'

export type Inactivity =
  | { kind: 'active'; /** Milliseconds until the warning. */ checkAfterMs: number }
  | { kind: 'warning'; secondsLeft: number }
  | { kind: 'over' }

/**
 * Where an idle session stands (SES07–SES11). `limit` is seconds, from the token's claim (S78); both times
 * are milliseconds of the same clock.
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
  // A clock that was set back must not keep a session open for ever, nor end it at once.
  const idle = Math.max(0, now - last)
  const left = limitSeconds * 1_000 - idle
  if (left <= 0) return { kind: 'over' }
  const warnAt = inactivityWarningSeconds * 1_000
  if (left <= warnAt) return { kind: 'warning', secondsLeft: Math.ceil(left / 1_000) }
  return { kind: 'active', checkAfterMs: left - warnAt }
}

/** Resets take effect at most once per 15 s (SES09). */
export function countsAsActivity({ last, now }: { last: number; now: number }): boolean {
  return now - last >= activityThrottleSeconds * 1_000 || now < last
}
