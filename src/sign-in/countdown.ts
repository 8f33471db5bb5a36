import { defaultCodeSeconds } from '#contract/codes.ts'

export type Countdown = {
  /** Wall clock of the end, milliseconds. */
  until: number
  /** Seconds in all. */
  length: number
}

/** The server's otpTtl, in seconds; 60 while it is not known (OTP07, S16). */
export function startCountdown(now: number, codeSeconds: number | undefined): Countdown {
  const length = codeSeconds !== undefined && codeSeconds >= 0 ? codeSeconds : defaultCodeSeconds
  return { until: now + length * 1_000, length }
}

/** Whole seconds to wait, from the full length down to zero, whatever the clock does meanwhile. */
export function secondsLeft({ until, length }: Countdown, now: number): number {
  return Math.min(length, Math.max(0, Math.ceil((until - now) / 1_000)))
}
