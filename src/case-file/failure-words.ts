import type { FailureReason } from '#contract/payment-failure.ts'
import type { MessageKey } from '#i18n/intl.ts'

/**
 * What the applicant does after a failed payment. `try-again`: pay by the same method; `other-method`: choose another;
 * `return`: the portal cannot tell which is better, so it offers only the return to the payment screen.
 */
type NextAct = 'try-again' | 'other-method' | 'return'

type FailureWords = { why: MessageKey; next: MessageKey; act: NextAct }

/** Why a payment failed, what to do, and the button for it. */
export const failureWords = {
  'not-enough-money': { why: 'payFailure.money', next: 'payFailure.moneyNext', act: 'try-again' },
  'limit-reached': { why: 'payFailure.limit', next: 'payFailure.limitNext', act: 'other-method' },
  'refused-on-phone': { why: 'payFailure.refused', next: 'payFailure.refusedNext', act: 'try-again' },
  expired: { why: 'payFailure.expired', next: 'payFailure.expiredNext', act: 'try-again' },
  'wrong-code': { why: 'payFailure.code', next: 'payFailure.codeNext', act: 'try-again' },
  'no-account': { why: 'payFailure.account', next: 'payFailure.accountNext', act: 'try-again' },
  'card-declined': { why: 'payFailure.card', next: 'payFailure.cardNext', act: 'other-method' },
  canceled: { why: 'payFailure.canceled', next: 'payFailure.canceledNext', act: 'return' },
  'operator-down': { why: 'payFailure.down', next: 'payFailure.downNext', act: 'other-method' },
  'no-answer': { why: 'payFailure.silent', next: 'payFailure.silentNext', act: 'return' },
  unknown: { why: 'payFailure.unknown', next: 'payFailure.unknownNext', act: 'return' },
} as const satisfies Record<FailureReason, FailureWords>

/** The label of the button for an act. `return` is the button that the specification names (PAY30). */
export const actLabels = {
  'try-again': 'button.retry',
  'other-method': 'payFailure.otherMethod',
} as const satisfies Record<Exclude<NextAct, 'return'>, MessageKey>
