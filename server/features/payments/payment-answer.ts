import type { Selectable } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { AnswerInput } from '#contract/endpoints.ts'
import { cardReturnPath } from '#contract/payment.ts'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentOrder } from '#server/integrations/payment-provider.ts'

export type PaymentRow = Selectable<Schema['payment']>

/** A payment as applicants get it (API33). */
export function paymentAnswer(row: PaymentRow): AnswerInput<'readPayment'>['data'] {
  return {
    id: row.id,
    orderId: row.order_id,
    paymentStatus: row.status,
    amount: row.amount,
    currency: row.currency,
    needOtp: row.need_otp,
    phoneNumber: row.phone,
  }
}

/** A payment as its provider gets it. */
export function orderOf(
  { publicOrigin }: Pick<Configuration, 'publicOrigin'>,
  row: PaymentRow,
  language: Language = 'fr',
): PaymentOrder {
  return {
    paymentId: row.id,
    orderId: row.order_id,
    amount: row.amount,
    currency: row.currency,
    phone: row.phone,
    channel: row.channel,
    reference: row.provider_reference ?? undefined,
    // Built here and nowhere else (D42): what a client sends as its own is not used.
    returnTo: `${publicOrigin}${cardReturnPath}/${row.id}`,
    language,
    orderedAt: row.created_at,
  }
}
