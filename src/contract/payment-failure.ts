import * as z from 'zod/mini'

/** Why a payment failed, as its provider or this server says. For each reason the portal has a text and a next step. */
export const failureReasons = [
  /** The account of the payer holds less than the amount. */
  'not-enough-money',
  /** The amount exceeds what the operator allows this account. */
  'limit-reached',
  /** The payer refused the request on the phone. */
  'refused-on-phone',
  /** The payer did not confirm, or enter the code, in time. */
  'expired',
  /** The code or PIN of the payer was wrong. */
  'wrong-code',
  /** The operator has no account of this number. */
  'no-account',
  /** The bank refused the card. */
  'card-declined',
  /** The applicant cancelled the order, or left the card page and chose another method. */
  'canceled',
  /** The provider could not handle the order, or this server did not send it. */
  'operator-down',
  /** The provider sent no final answer, or does not know an order that was sent. */
  'no-answer',
  /** The provider gave no reason, or one that a payer cannot use. */
  'unknown',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** A newer server may send a reason that this portal does not know. */
export const AnyFailureReason = z.pipe(
  z.string(),
  z.transform((sent): FailureReason => failureReasons.find(reason => reason === sent) ?? 'unknown'),
)
