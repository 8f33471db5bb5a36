import { attemptStates, type AttemptState, type PaymentAttempt } from '#contract/payment.ts'

/** Summary of an application's payment attempts. Functions with a list of attempts expect the newest first. */
export type PaymentSummary = {
  /** The attempt that pays for the application. */
  paid: PaymentAttempt | undefined
  /** An attempt without a final outcome: an applicant who pays now may pay twice. */
  open: PaymentAttempt | undefined
  /** Payments that must be refunded and were not refunded yet. */
  refundsDue: readonly PaymentAttempt[]
}

export function summariseAttempts(attempts: readonly PaymentAttempt[]): PaymentSummary {
  return {
    paid: attempts.find(({ state }) => state === 'SUCCESS'),
    open: attempts.find(({ state }) => state === 'IN_PROGRESS'),
    refundsDue: attempts.filter(({ state }) => state === 'REFUND_DUE'),
  }
}

/** Returns the attempt to show first: the successful one, else the open one, else the newest. */
export function mainAttempt(attempts: readonly PaymentAttempt[]): PaymentAttempt | undefined {
  const { paid, open } = summariseAttempts(attempts)
  return paid ?? open ?? attempts[0]
}

const tones = {
  IN_PROGRESS: 'info',
  SUCCESS: 'success',
  ERROR: 'danger',
  REFUND_DUE: 'warning',
  REFUNDED: 'success',
} as const satisfies Record<AttemptState, string>

export type AttemptTone = (typeof tones)[(typeof attemptStates)[number]]

export function toneOf(state: AttemptState): AttemptTone {
  return tones[state]
}
