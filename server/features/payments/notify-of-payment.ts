import type { Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { PaymentRow } from './payment-answer.ts'

/**
 * Notifies the applicant that the payment arrived and that the booking is still to do. An applicant who stops here has
 * paid and has no appointment. Runs in the payment's transaction, so the message is stored only with the payment, and once.
 */
export async function notifyApplicantOfPayment(
  trx: Transaction<Schema>,
  { application, payment }: { application: ApplicationRow; payment: PaymentRow },
): Promise<void> {
  const t = translateTo(application.language)
  const values = { number: application.number, order: payment.order_id }
  await notifyApplicant(trx, application, {
    key: `payment:${payment.id}`,
    kind: 'payment',
    sms: t('paymentConfirmed.text', values),
    mail: { subject: t('paymentConfirmed.subject', values), text: t('paymentConfirmed.text', values) },
  })
}
