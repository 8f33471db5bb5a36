import type { Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { formContacts } from '#server/features/applications/form-contacts.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { enqueue } from '#server/features/outbox.ts'
import { paymentNotices } from '#server/words/payment-words.ts'
import type { PaymentRow } from './payment-answer.ts'

/**
 * Says that the money has come and that one step is left: whoever stops here has paid and booked nothing. Part of
 * the payment's transaction: told when it is paid, and once.
 */
export async function announcePayment(
  transaction: Transaction<Schema>,
  { application, payment }: { application: ApplicationRow; payment: PaymentRow },
): Promise<void> {
  const { subject, text } = paymentNotices[application.language]
  const facts = { number: application.number, order: payment.order_id }
  const { phone, email } = formContacts(application)
  const notices = [
    { channel: 'sms', recipient: phone, message: { subject: '', text: text(facts) } },
    { channel: 'email', recipient: email, message: { subject: subject(facts), text: text(facts) } },
  ] as const
  for (const notice of notices.filter(({ recipient }) => recipient !== ''))
    await enqueue(transaction, { key: `payment:${payment.id}:${notice.channel}`, kind: 'payment', ...notice })
}
