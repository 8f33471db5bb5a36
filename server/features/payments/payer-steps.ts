import type { AttemptStep, MethodType } from '#contract/payment.ts'

/**
 * This long after the order, the operator's request on the phone, or the card page, has expired. The payer can do nothing
 * more: only the operator knows whether the payment succeeded.
 */
export const phoneTimeoutMs = 5 * 60_000
const cardTimeoutMs = 30 * 60_000

const phoneStep = { step: 'waiting-for-approval', timeoutMs: phoneTimeoutMs } as const
const cardStep = { step: 'waiting-for-card', timeoutMs: cardTimeoutMs } as const
const noPayerStep = { step: 'asking-operator', timeoutMs: 0 } as const

/** For each payment method, the step of an open payment, and how long the payer can do it. */
export const payerSteps = {
  MOBILE: phoneStep,
  AGGREGATOR: phoneStep,
  CARD: cardStep,
  CARD_UBA: cardStep,
  BACM: cardStep,
  MOCK: noPayerStep,
  WHITELIST: noPayerStep,
} as const satisfies Record<MethodType, { step: AttemptStep; timeoutMs: number }>
