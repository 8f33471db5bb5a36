import type { ApplicationState } from '#contract/states.ts'

/**
 * Why the server refused Pay, or a code that a payer entered (`payerCodeNotAwaited`). The server's catalogues have a
 * text for each, under `payment.` and its name.
 */
export type PaymentRefusal =
  | 'methodUnavailable'
  | 'notWhitelisted'
  | 'dataNotConfirmed'
  | 'notPayable'
  | 'payerCodeNotAwaited'

/**
 * Why an application cannot be paid for. An applicant must confirm the data once before paying. A later change needs no
 * second confirmation, but the data must be complete. The server checks that here only for a `draft`, which it stores
 * without the check.
 */
export function notPayableReason(
  { state, draft }: { state: ApplicationState; draft: boolean },
  isComplete: () => boolean,
): PaymentRefusal | undefined {
  if (state === 'NEW') return 'dataNotConfirmed'
  if (state !== 'DATA_SAVED') return 'notPayable'
  return draft && !isComplete() ? 'dataNotConfirmed' : undefined
}

/** Orders of one application that were made within a day and went to a provider: each may ask a payer for money. */
const maxSentPerDay = 10
/** All orders of one application: its case file and its proof stay short. */
const maxOrders = 100

/** Whether an application has had as many orders as one may have (D97). */
export function areTooMany({ sentOfDay, all }: { sentOfDay: number; all: number }): boolean {
  return sentOfDay >= maxSentPerDay || all >= maxOrders
}

/**
 * Unpaid orders of a day for one number, of all accounts that have not proven this number: each asks its owner for
 * money.
 */
const maxUnpaidPerNumber = 10
/**
 * The same limit, if the orders that the provider refused immediately are counted too. These ask no payer for money,
 * but while one of them is with the provider, the owner of the number must wait (`cooldownSecondsLeft`).
 */
const maxTriedPerNumber = 30

/** Whether a number has had as many unpaid orders as one may have (D97). `tried` also counts those refused immediately. */
export function areTooManyForNumber({ unpaid, tried }: { unpaid: number; tried: number }): boolean {
  return unpaid >= maxUnpaidPerNumber || tried >= maxTriedPerNumber
}

/** Operators refuse a second debit of the same number and amount within this time as a mistake. */
const cooldownSeconds = 60

/** Returns the seconds until the operator accepts another order. `ageSeconds`: the age of the last order; null without one. */
export function cooldownSecondsLeft(ageSeconds: number | null): number {
  return ageSeconds === null ? 0 : Math.max(0, Math.ceil(cooldownSeconds - ageSeconds))
}

/** Codes of one order: a code has few digits, and operators block a wallet after some wrong ones. */
const maxCodes = 5

/**
 * Why the server does not send a code of the payer; undefined when it sends the code. `isLastOpen`: the request with the
 * previous code may still run. The provider gets one code at a time, and few for one order (D97).
 */
export function codeRefusal({
  sent,
  isLastOpen,
}: {
  sent: number
  isLastOpen: boolean
}): 'too-many-requests' | 'payment-codes' | undefined {
  if (isLastOpen) return 'too-many-requests'
  return sent >= maxCodes ? 'payment-codes' : undefined
}
