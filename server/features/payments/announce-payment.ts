import type { Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { PaymentRow } from './payment-answer.ts'

/**
 * Says that the money has come and that one step is left: whoever stops here has paid and booked nothing. Part of
 * the payment's transaction: told when it is paid, and once.
 */
export async function announcePayment(
  transaction: Transaction<Schema>,
  { application, payment }: { application: ApplicationRow; payment: PaymentRow },
): Promise<void> {
  const t = translateTo(application.language)
  const values = { number: application.number, order: payment.order_id }
  await notifyApplicant(transaction, application, {
    key: `payment:${payment.id}`,
    kind: 'payment',
    sms: t('paymentConfirmed.text', values),
    mail: { subject: t('paymentConfirmed.subject', values), text: t('paymentConfirmed.text', values) },
  })
}
