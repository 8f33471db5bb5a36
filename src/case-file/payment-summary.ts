import { attemptStates, type AttemptState, type PaymentAttempt } from '#contract/payment.ts'

/** What the attempts of an application come to; they stand newest first. */
export type PaymentSummary = {
  /** The attempt that pays for the application. */
  paid: PaymentAttempt | undefined
  /** One whose end is not known yet: whoever pays now may pay twice. */
  open: PaymentAttempt | undefined
  /** Paid beyond that, and not given back yet. */
  refundsDue: readonly PaymentAttempt[]
}

export function summariseAttempts(attempts: readonly PaymentAttempt[]): PaymentSummary {
  return {
    paid: attempts.find(({ state }) => state === 'SUCCESS'),
    open: attempts.find(({ state }) => state === 'IN_PROGRESS'),
    refundsDue: attempts.filter(({ state }) => state === 'REFUND_DUE'),
  }
}

/** What an applicant who comes back wants to see: the payment that counts, else the newest. */
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
