import { isForTheScreen, type Problem, type Result } from '#api/result.ts'
import type { PaymentId } from '#contract/ids.ts'
import type { StartedPayment } from '#contract/payment.ts'
import { routedCodes } from '#contract/problems.ts'
import type { MessageKey } from '#i18n/intl.ts'
import { type CardTarget, readCardAnswer } from './card-page.ts'
import type { PayableType } from './offered-methods.ts'

/** Where Pay leads. */
export type PaymentOutcome =
  | { kind: 'enter-code'; paymentId: PaymentId }
  | { kind: 'follow'; paymentId: PaymentId; confirmInApp: boolean }
  | { kind: 'card'; card: CardTarget }
  | { kind: 'paid-before' }
  | { kind: 'refused'; words: MessageKey }
  /** The line, the server or the session failed: that was said where every call is watched. */
  | { kind: 'announced' }

type CardAnswer = { data: Parameters<typeof readCardAnswer>[0] }

/** PAY17, PAY18, S37, S64: a payment that was created is followed, or its code is asked for. */
export function paymentOutcome(type: PayableType, result: Result<{ data: StartedPayment }>): PaymentOutcome {
  if (!result.ok) return refusal(type, result.problem)
  const { id: paymentId, needOtp } = result.value.data
  if (paymentId === '') return { kind: 'refused', words: refusalWords(type) }
  if (needOtp === true) return { kind: 'enter-code', paymentId }
  return { kind: 'follow', paymentId, confirmInApp: type === 'MOBILE' || type === 'AGGREGATOR' }
}

/** PAY19, S12: a page or the fields of a form; what cannot be shown safely counts as a failure. */
export function cardOutcome(type: PayableType, result: Result<CardAnswer>): PaymentOutcome {
  if (!result.ok) return refusal(type, result.problem)
  const card = readCardAnswer(result.value.data)
  return card ? { kind: 'card', card } : { kind: 'refused', words: 'notice.serviceUnavailable' }
}

/** S11: what was paid in the old system leads straight to the appointment. */
export function whitelistOutcome(result: Result<unknown>): PaymentOutcome {
  return result.ok ? { kind: 'paid-before' } : refusal('WHITELIST', result.problem)
}

/** ERR14–ERR16. */
function refusal(type: PayableType | 'WHITELIST', problem: Problem): PaymentOutcome {
  if (!isForTheScreen(problem)) return { kind: 'announced' }
  if (type === 'AGGREGATOR' && problem.statusCode === routedCodes.payerName)
    return { kind: 'refused', words: 'notice.payerName' }
  return { kind: 'refused', words: refusalWords(type) }
}

function refusalWords(type: PayableType | 'WHITELIST'): MessageKey {
  return type === 'MOBILE' ? 'notice.orderNotCreated' : 'notice.serviceUnavailable'
}
