import { defaultCodeSeconds } from '#contract/codes.ts'

export type Countdown = {
  /** Wall clock of the end, in milliseconds. */
  until: number
  /** Full length in seconds. */
  length: number
}

/** Starts a countdown of the server's `otpTtl`, in seconds; 60 while it is unknown (OTP07, S16). `now`: milliseconds. */
export function startCountdown(now: number, codeSeconds: number | undefined): Countdown {
  const length = codeSeconds !== undefined && codeSeconds >= 0 ? codeSeconds : defaultCodeSeconds
  return { until: now + length * 1_000, length }
}

/** Returns the remaining whole seconds, between the full length and 0 also when the clock was changed. */
export function secondsLeft({ until, length }: Countdown, now: number): number {
  return Math.min(length, Math.max(0, Math.ceil((until - now) / 1_000)))
}
