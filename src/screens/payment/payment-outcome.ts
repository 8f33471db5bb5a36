import { isHandledByScreen, type Problem, type Result, wrongStateReason } from '#api/result.ts'
import { PaymentId } from '#contract/ids.ts'
import {
  CancelRefusal,
  type CardAnswer,
  cardPagePath,
  isPhoneMethod,
  type Payment,
  type StartedPayment,
} from '#contract/payment.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import type { MessageKey, MessageValues } from '#i18n/intl.ts'
import type { CardOrigins } from './card-addresses.ts'
import { type CardTarget, readCardAnswer, unlistedOrigin } from './card-page.ts'
import type { PayableType } from './offered-methods.ts'

/** What the screen does after Pay. */
export type PaymentOutcome =
  | { kind: 'enter-code'; paymentId: PaymentId }
  /**
   * `confirmInApp`: the payer must confirm the payment on the phone, with the mobile operator. `payment`: this payment;
   * undefined when there is nothing to confirm, or when the answer names no amount or currency.
   */
  | { kind: 'follow'; paymentId: PaymentId; confirmInApp: boolean; payment?: Payment | undefined }
  | { kind: 'card'; card: CardTarget; paymentId: PaymentId | undefined }
  /** The server shows the card page itself, with its own CSP. */
  | { kind: 'leave'; page: string; paymentId: PaymentId | undefined }
  | { kind: 'paid-before' }
  | { kind: 'refused'; messageKey: MessageKey; values?: MessageValues }
  /** The application cannot be paid now: paid or changed elsewhere, or lost by a restored server (D129). */
  | { kind: 'wrong-state' }
  /**
   * The call has started no payment, because the application already has one, open or successful. The screen shows this
   * payment, so that no applicant pays twice. `wait`: why its card page does not open again, and until when the
   * applicant must wait, in the same fields as the refusal of a cancellation.
   */
  | { kind: 'paying-already'; paymentId: PaymentId; wait?: CancelRefusal | undefined }
  /** For `seconds` the server refuses a second payment of this amount from this number, as the mobile operator would. */
  | { kind: 'too-soon'; seconds: number }
  /**
   * The screen has nothing to show: the network, the server or the session failed, which the portal handles for all
   * screens (API36), or the applicant has left the page before the call was sent (D137).
   */
  | { kind: 'announced' }

/**
 * Returns what the screen does after a call that starts a payment without a card: it shows the payment, or asks for its code
 * (PAY17, PAY18, S37, S64). `payerPhone`: the digits of the number that was sent with the call.
 */
export function paymentOutcome(
  type: PayableType,
  result: Result<{ data: StartedPayment }>,
  payerPhone = '',
): PaymentOutcome {
  if (!result.ok) return outcomeOfProblem(type, result.problem)
  const { id: paymentId, needOtp, paymentStatus, amount, currency } = result.value.data
  if (paymentId === '') return refused(type)
  if (isOtherPayment(result.value.data, { type, payerPhone })) return { kind: 'paying-already', paymentId }
  if (needOtp === true) return { kind: 'enter-code', paymentId }
  // The server may return an existing payment that has ended: then the payer has nothing to confirm.
  const confirmInApp = isPhoneMethod(type) && paymentStatus === 'IN_PROGRESS'
  const isComplete = confirmInApp && typeof amount === 'number' && typeof currency === 'string'
  const payment = isComplete ? { ...result.value.data, id: paymentId, amount, currency } : undefined
  return { kind: 'follow', paymentId, confirmInApp, payment }
}

/**
 * Whether the answer is an order that was open before this call. The call has then sent the payer nothing, so the
 * notice of ERR17 would be wrong. False for an order of this method and this number that needs a code: the code can
 * still be entered.
 */
function isOtherPayment(
  { isExisting, paymentStatus, needOtp, methodType, phoneNumber }: StartedPayment,
  { type, payerPhone }: { type: PayableType; payerPhone: string },
): boolean {
  if (isExisting !== true || paymentStatus !== 'IN_PROGRESS') return false
  return needOtp !== true || methodType !== type || phoneNumber !== payerPhone
}

/**
 * Reads a card page or the fields of its form (PAY19, S12). If they are not safe, the applicant leaves for the page of the
 * server that shows them. If the server offers no such page, returns `refused`; its message names a gateway that is not
 * listed (D67).
 */
export function cardOutcome(
  type: PayableType,
  result: Result<CardAnswer>,
  origins: CardOrigins,
): PaymentOutcome {
  if (!result.ok) return outcomeOfProblem(type, result.problem)
  const { data, paymentId, page } = result.value
  const card = readCardAnswer(data, origins)
  if (card) return { kind: 'card', card, paymentId }
  if (page !== undefined && ownCardPage.test(page)) return { kind: 'leave', page, paymentId }
  const origin = unlistedOrigin(data, origins)
  return origin === undefined
    ? { kind: 'refused', messageKey: 'notice.serviceUnavailable' }
    : { kind: 'refused', messageKey: 'notice.cardOrigin', values: { origin } }
}

/** `cardPagePath`, with or without a ticket: a path that no browser reads as an address of another host. */
const ownCardPage = new RegExp(`^${cardPagePath}(?:/[\\w-]+)?(?:\\?[\\w.=&-]*)?$`)

/** A payment in the old system leads straight to the appointment (S11). */
export function whitelistOutcome(result: Result<unknown>): PaymentOutcome {
  return result.ok ? { kind: 'paid-before' } : outcomeOfProblem('WHITELIST', result.problem)
}

/** Returns what the screen does after a call that failed (ERR14–ERR16). */
function outcomeOfProblem(type: PayableType | 'WHITELIST', problem: Problem): PaymentOutcome {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  if (type === 'AGGREGATOR' && problem.statusCode === routedCodes.payerName)
    return { kind: 'refused', messageKey: 'notice.payerName' }
  if (problem.reason === wrongStateReason) return { kind: 'wrong-state' }
  if (problem.reason === 'payment-open') return alreadyPaying(problem.data) ?? refused(type)
  if (problem.reason === 'payment-too-soon') return { kind: 'too-soon', seconds: secondsOf(problem.data) }
  if (problem.reason === 'payment-attempts') return { kind: 'refused', messageKey: 'notice.paymentAttempts' }
  if (problem.reason === 'payment-number-attempts')
    return { kind: 'refused', messageKey: 'notice.paymentNumberAttempts' }
  return refused(type)
}

function refused(type: PayableType | 'WHITELIST'): PaymentOutcome {
  return {
    kind: 'refused',
    messageKey: type === 'MOBILE' ? 'notice.orderNotCreated' : 'notice.serviceUnavailable',
  }
}

function alreadyPaying(data: unknown): PaymentOutcome | undefined {
  const paymentId = PaymentId.safeParse(valueIn(data, 'paymentId'))
  const wait = CancelRefusal.safeParse(data).data
  return paymentId.success ? { kind: 'paying-already', paymentId: paymentId.data, wait } : undefined
}

/** Returns whole seconds; 60 when the server names no time between zero and an hour. */
function secondsOf(data: unknown): number {
  const seconds = valueIn(data, 'seconds')
  return typeof seconds === 'number' && seconds >= 0 && seconds <= 3_600 ? Math.ceil(seconds) : 60
}

function valueIn(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined
}
