import type { Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type ApplicationRow, formContacts } from '#server/features/applications/own-application.ts'
import { enqueue } from './outbox.ts'

export type ApplicantNotification = {
  /** Identifies the cause. Each channel sends one message for it. */
  key: string
  kind: string
  sms: string
  /** `receiptOf`: the id of the application whose receipt is attached. */
  mail: { subject: string; text: string; receiptOf?: string }
  uselessAfterSeconds?: number
}

type Addressee = Pick<ApplicationRow, 'applicant_id' | 'data'>

/** Enqueues a notification in the transaction of its cause, for the phone number and e-mail address of the application. */
export async function notifyApplicant(
  trx: Transaction<Schema>,
  application: Addressee,
  { key, kind, sms, mail, ...rest }: ApplicantNotification,
): Promise<void> {
  const { phone, email } = await contactsOf(trx, application)
  if (phone !== '')
    await enqueue(trx, {
      key: `${key}:sms`,
      kind,
      channel: 'sms',
      recipient: phone,
      message: { subject: '', text: sms },
      ...rest,
    })
  if (email !== '')
    await enqueue(trx, {
      key: `${key}:email`,
      kind,
      channel: 'email',
      recipient: email,
      message: mail,
      ...rest,
    })
}

/** Returns the contacts of the form. A form without contacts uses the verified contacts of the applicant. */
async function contactsOf(
  trx: Transaction<Schema>,
  application: Addressee,
): Promise<{ phone: string; email: string }> {
  const named = formContacts(application)
  if (named.phone !== '' || named.email !== '') return named
  const verified = await trx
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', application.applicant_id)
    .execute()
  const valueOf = (kind: string) => verified.find(contact => contact.kind === kind)?.value ?? ''
  return { phone: valueOf('phone'), email: valueOf('email') }
}
