import { activityThrottleSeconds, inactivityWarningSeconds } from '#contract/codes.ts'

export type Inactivity =
  | { kind: 'active'; idleMs: number; /** Milliseconds until the warning. */ checkAfterMs: number }
  | { kind: 'warning'; idleMs: number; secondsLeft: number }
  | { kind: 'expired' }

/**
 * The state of a session `sinceLastMs` after the last activity (SES07–SES11). The limit comes from the token (S78) or
 * from `activity.ts`. A negative time comes from a clock that was set back, and is taken as 0 (S85).
 */
export function inactivityAfter(sinceLastMs: number, limitSeconds: number): Inactivity {
  const idleMs = Math.max(0, sinceLastMs)
  const leftMs = limitSeconds * 1_000 - idleMs
  if (leftMs <= 0) return { kind: 'expired' }
  const warningMs = inactivityWarningSeconds * 1_000
  if (leftMs <= warningMs) return { kind: 'warning', idleMs, secondsLeft: Math.ceil(leftMs / 1_000) }
  return { kind: 'active', idleMs, checkAfterMs: leftMs - warningMs }
}

/**
 * An activity less than 15 s after the last saved one does not count, so that it is not saved (SES09). It counts when
 * the time is negative: the clock was set back.
 */
export function countsAsActivity(sinceLastMs: number): boolean {
  return sinceLastMs >= activityThrottleSeconds * 1_000 || sinceLastMs < 0
}
