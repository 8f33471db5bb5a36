import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { enqueueToApplicants, type MessageToApplicant } from './outbox.ts'

export type ApplicantNotification = {
  /** Identifies the cause. Each channel sends one message for it. */
  key: string
  kind: string
  sms: string
  /** `receiptOf`: the id of the application whose receipt is attached. */
  mail: { subject: string; text: string; receiptOf?: string }
  /** The message is not sent when it has waited longer than this in the outbox. */
  uselessAfterSeconds?: number
}

type Addressee = { applicant_id: string }

/**
 * Enqueues a notification in the transaction of its cause, for the proven contacts of the applicant. The number and the
 * address that the form names get nothing: no code has shown that they are the applicant's, and a stranger could make the
 * service send to them (D109).
 */
export async function notifyApplicant(
  trx: Kysely<Schema>,
  application: Addressee,
  notification: ApplicantNotification,
): Promise<void> {
  await notifyApplicants(trx, [{ application, notification }])
}

/** As `notifyApplicant`, for several applications with one statement. */
export async function notifyApplicants(
  trx: Kysely<Schema>,
  all: readonly { application: Addressee; notification: ApplicantNotification }[],
): Promise<void> {
  await enqueueToApplicants(
    trx,
    all.flatMap(({ application, notification }) => messagesTo(application.applicant_id, notification)),
  )
}

function messagesTo(
  applicantId: string,
  { key, kind, sms, mail, ...rest }: ApplicantNotification,
): MessageToApplicant[] {
  return [
    { key: `${key}:sms`, kind, channel: 'sms', applicantId, message: { subject: '', text: sms }, ...rest },
    { key: `${key}:email`, kind, channel: 'email', applicantId, message: mail, ...rest },
  ]
}
