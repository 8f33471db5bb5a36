import type { Selectable } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { AnswerInput } from '#contract/endpoints.ts'
import { cardReturnPath } from '#contract/payment.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import type { Services } from '#server/calls/services.ts'
import type { WithDataKeys } from '#server/config/data-keys.ts'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentOrder } from '#server/integrations/payment-provider.ts'
import { decryptPhone } from './payer-phone.ts'

export type PaymentRow = Selectable<Schema['payment']>

/** Every column by its name, so that a prepared statement stays valid when a migration adds a column (D73). */
export const paymentColumns = [
  'id',
  'application_id',
  'order_id',
  'method',
  'status',
  'amount',
  'currency',
  'need_otp',
  'phone',
  'phone_hash',
  'provider_reference',
  'refund_due',
  'created_at',
  'settled_at',
  'channel',
  'operator_reference',
  'sent_at',
  'ask_at',
  'asked_at',
  'given_up_at',
  'refunded_at',
  'return_id',
] as const satisfies readonly (keyof PaymentRow)[]

/**
 * Converts a payment to the answer that applicants get (API33). `failure`: why it failed, where the calling function has
 * read it.
 */
export function paymentAnswer(
  keys: WithDataKeys,
  row: PaymentRow,
  failure?: FailureReason,
): AnswerInput<'readPayment'>['data'] {
  return {
    ...(failure !== undefined && { failure }),
    id: row.id,
    orderId: row.order_id,
    paymentStatus: row.status,
    amount: row.amount,
    currency: row.currency,
    needOtp: row.need_otp,
    phoneNumber: decryptPhone(keys, row),
    methodType: row.method,
  }
}

/** Converts a payment to the order that its provider gets. */
export function orderOf(
  { config, secrets }: Pick<Services, 'config' | 'secrets'>,
  row: PaymentRow,
  language: Language = 'fr',
): PaymentOrder {
  return {
    paymentId: row.id,
    orderId: row.order_id,
    amount: row.amount,
    currency: row.currency,
    phone: decryptPhone({ secrets }, row),
    channel: row.channel,
    reference: row.provider_reference ?? undefined,
    // Only the server builds this address (D42): a return address from the client is ignored. It has no id of the
    // payment, because a shared device keeps it in its history (D31).
    returnTo: `${config.publicOrigin}${cardReturnPath}/${row.return_id}`,
    language,
    orderedAt: row.created_at,
  }
}
