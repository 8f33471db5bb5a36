import { isHandledByScreen, type Result } from '#api/result.ts'
import { type CancelObstacle, CancelRefusal, type Payment } from '#contract/payment.ts'
import type { MessageKey } from '#i18n/intl.ts'

/** What the call to cancel an open payment has done (D47). */
export type CancelOutcome =
  /** The payment has ended without success. */
  | { kind: 'closed' }
  /** The payment has succeeded, so nothing was cancelled. */
  | { kind: 'paid' }
  | { kind: 'not-now'; refusal: CancelRefusal }
  | { kind: 'failed' }
  /**
   * The screen has nothing to show: the portal handles this problem for all screens, or the applicant has left the
   * page.
   */
  | { kind: 'announced' }

export function cancelOutcome(result: Result<{ data: Payment }>): CancelOutcome {
  if (result.ok) {
    const { paymentStatus } = result.value.data
    if (paymentStatus === 'IN_PROGRESS') return { kind: 'failed' }
    return { kind: paymentStatus === 'SUCCESS' ? 'paid' : 'closed' }
  }
  const { problem } = result
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  const refusal = CancelRefusal.safeParse(problem.data)
  return refusal.success ? { kind: 'not-now', refusal: refusal.data } : { kind: 'failed' }
}

/** The text that says why the payment cannot be cancelled now. */
export const obstacleKeys = {
  'in-progress': 'cancelPayment.inProgress',
  'no-answer': 'cancelPayment.noAnswer',
  'just-sent': 'cancelPayment.justSent',
} as const satisfies Record<CancelObstacle, MessageKey>
