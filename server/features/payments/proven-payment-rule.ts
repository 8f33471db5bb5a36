import type { ApplicationState } from '#contract/states.ts'

type Amount = { amount: number; currency: string }

/** Whether a reported success has the number, the amount and the currency of this order. */
export function isSameOrder(
  payment: Amount & { order_id: string },
  reported: Amount & { orderId: string },
): boolean {
  return (
    reported.orderId === payment.order_id &&
    reported.amount === payment.amount &&
    reported.currency === payment.currency
  )
}

export type AttachFault =
  | 'of-another-application'
  | 'other-amount'
  | 'due-back'
  | 'not-confirmed'
  | 'not-payable'

/** What is known of a payment that a provider's statement proves. */
export type Proven = {
  paid: Amount
  /** The order's own row; undefined when there is none, because a restore has lost it or its application is erased. */
  known: (Amount & { application_id: string; status: string }) | undefined
  /** The order belonged to an application that is erased (D112, D113). */
  isPast: boolean
  /** The table `unknown_payment` has the payment, so it is due for a refund or was refunded. */
  isUnknownPayment: boolean
  application: { id: string; state: ApplicationState }
  fee: Amount
}

/** Whether a payment that a statement proves may be attached to an application (D108). */
export function judgeProven(proven: Proven): 'attach' | 'already' | AttachFault {
  const { paid, known, isPast, isUnknownPayment, application, fee } = proven
  const { amount, currency } = known ?? fee
  if (isPast || (known !== undefined && known.application_id !== application.id))
    return 'of-another-application'
  if (paid.amount !== amount || paid.currency !== currency) return 'other-amount'
  if (known?.status === 'SUCCESS') return 'already'
  if (isUnknownPayment) return 'due-back'
  if (known !== undefined) return 'attach'
  if (application.state === 'NEW') return 'not-confirmed'
  return application.state === 'DATA_SAVED' ? 'attach' : 'not-payable'
}
