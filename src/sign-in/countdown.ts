import { defaultCodeSeconds } from '#contract/codes.ts'

/** A running countdown. pending-sign-in.ts saves both properties under these names in sessionStorage. */
export type Countdown = {
  /** When it ends: wall clock in milliseconds. */
  until: number
  /** Full length in seconds. */
  length: number
}

/** Starts a countdown at `nowMs`, wall clock; of 60 seconds when the server has sent no length (OTP07, S16). */
export function startCountdown(nowMs: number, seconds: number | undefined): Countdown {
  const length = seconds !== undefined && seconds >= 0 ? seconds : defaultCodeSeconds
  return { until: nowMs + length * 1_000, length }
}

/** Returns the remaining whole seconds: never below 0, and never above the length, also when the clock was set back. */
export function secondsLeft({ until, length }: Countdown, nowMs: number): number {
  return Math.min(length, Math.max(0, Math.ceil((until - nowMs) / 1_000)))
}
