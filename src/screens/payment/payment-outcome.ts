import { isHandledByScreen, type Problem, type Result } from '#api/result.ts'
import { PaymentId } from '#contract/ids.ts'
import { type CardAnswer, cardPagePath, type StartedPayment } from '#contract/payment.ts'
import { routedCodes } from '#contract/problems.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { CardPlaces } from './card-addresses.ts'
import { type CardTarget, readCardAnswer } from './card-page.ts'
import type { PayableType } from './offered-methods.ts'

/** Where Pay leads. */
export type PaymentOutcome =
  | { kind: 'enter-code'; paymentId: PaymentId }
  | { kind: 'follow'; paymentId: PaymentId; confirmInApp: boolean }
  | { kind: 'card'; card: CardTarget; paymentId: PaymentId | undefined }
  /** The card page is shown by the server itself, under a policy of its own. */
  | { kind: 'leave'; page: string }
  | { kind: 'paid-before' }
  | { kind: 'refused'; words: MessageKey }
  /** Nobody pays twice: one is under way or made, and is shown instead. */
  | { kind: 'paying-already'; paymentId: PaymentId }
  /** The operator takes no second payment of this amount from this number for so long. */
  | { kind: 'too-soon'; seconds: number }
  /** The line, the server or the session failed: that was said where every call is watched. */
  | { kind: 'announced' }

/** PAY17, PAY18, S37, S64: a payment that was created is followed, or its code is asked for. */
export function paymentOutcome(type: PayableType, result: Result<{ data: StartedPayment }>): PaymentOutcome {
  if (!result.ok) return refusal(type, result.problem)
  const { id: paymentId, needOtp, paymentStatus } = result.value.data
  if (paymentId === '') return refused(type)
  if (needOtp === true) return { kind: 'enter-code', paymentId }
  // The one that is given back instead of a second may have ended meanwhile: there is nothing to confirm then.
  const confirmInApp = (type === 'MOBILE' || type === 'AGGREGATOR') && paymentStatus === 'IN_PROGRESS'
  return { kind: 'follow', paymentId, confirmInApp }
}

/**
 * PAY19, S12: a page or the fields of a form. What cannot be shown safely here is shown by the server, or counts as a
 * failure where it offers no page.
 */
export function cardOutcome(
  type: PayableType,
  result: Result<CardAnswer>,
  places: CardPlaces,
): PaymentOutcome {
  if (!result.ok) return refusal(type, result.problem)
  const { data, paymentId, page } = result.value
  const card = readCardAnswer(data, places)
  if (card) return { kind: 'card', card, paymentId }
  return page !== undefined && ownCardPage.test(page)
    ? { kind: 'leave', page }
    : { kind: 'refused', words: 'notice.serviceUnavailable' }
}

/** A path of ours and nothing that a browser would take for an address elsewhere. */
const ownCardPage = new RegExp(`^${cardPagePath}(?:/[\\w-]+)?(?:\\?[\\w.=&-]*)?$`)

/** S11: what was paid in the old system leads straight to the appointment. */
export function whitelistOutcome(result: Result<unknown>): PaymentOutcome {
  return result.ok ? { kind: 'paid-before' } : refusal('WHITELIST', result.problem)
}

/** ERR14–ERR16. */
function refusal(type: PayableType | 'WHITELIST', problem: Problem): PaymentOutcome {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  if (type === 'AGGREGATOR' && problem.statusCode === routedCodes.payerName)
    return { kind: 'refused', words: 'notice.payerName' }
  if (problem.reason === 'payment-open') return alreadyPaying(problem.data) ?? refused(type)
  if (problem.reason === 'payment-too-soon') return { kind: 'too-soon', seconds: secondsOf(problem.data) }
  return refused(type)
}

function refused(type: PayableType | 'WHITELIST'): PaymentOutcome {
  return {
    kind: 'refused',
    words: type === 'MOBILE' ? 'notice.orderNotCreated' : 'notice.serviceUnavailable',
  }
}

function alreadyPaying(data: unknown): PaymentOutcome | undefined {
  const named = PaymentId.safeParse(valueIn(data, 'paymentId'))
  return named.success ? { kind: 'paying-already', paymentId: named.data } : undefined
}

/** Of a service that does not say it a minute is taken for granted. */
function secondsOf(data: unknown): number {
  const seconds = valueIn(data, 'seconds')
  return typeof seconds === 'number' && seconds >= 0 && seconds <= 3_600 ? Math.ceil(seconds) : 60
}

function valueIn(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined
}
