import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type ApplicationRow, formContacts } from '#server/features/applications/own-application.ts'
import { enqueueAll, type MessageToSend } from './outbox.ts'

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
  trx: Kysely<Schema>,
  application: Addressee,
  notification: ApplicantNotification,
): Promise<void> {
  await notifyApplicants(trx, [{ application, notification }])
}

/** As `notifyApplicant`, for several applications with the same number of statements. */
export async function notifyApplicants(
  trx: Kysely<Schema>,
  all: readonly { application: Addressee; notification: ApplicantNotification }[],
): Promise<void> {
  const verified = await readVerified(
    trx,
    all.map(({ application }) => application).filter(application => !namesContact(application)),
  )
  const messages = all.flatMap(({ application, notification }) => {
    const contacts = namesContact(application)
      ? formContacts(application)
      : (verified.get(application.applicant_id) ?? noContacts)
    return messagesTo(contacts, notification).map(message => ({
      ...message,
      applicantId: application.applicant_id,
    }))
  })
  await enqueueAll(trx, messages)
}

type Contacts = { phone: string; email: string }

const noContacts: Contacts = { phone: '', email: '' }

function namesContact(application: Addressee): boolean {
  const { phone, email } = formContacts(application)
  return phone !== '' || email !== ''
}

/** Reads the verified contacts of applicants whose form names no contact. */
async function readVerified(
  trx: Kysely<Schema>,
  applications: readonly Addressee[],
): Promise<Map<string, Contacts>> {
  if (applications.length === 0) return new Map()
  const rows = await trx
    .selectFrom('contact')
    .select(['applicant_id', 'kind', 'value'])
    .where(sql<boolean>`applicant_id = any (${applications.map(each => each.applicant_id)}::uuid[])`)
    .execute()
  const contacts = new Map<string, Contacts>()
  for (const { applicant_id: id, kind, value } of rows)
    contacts.set(id, { ...(contacts.get(id) ?? noContacts), [kind]: value })
  return contacts
}

function messagesTo(
  { phone, email }: Contacts,
  { key, kind, sms, mail, ...rest }: ApplicantNotification,
): MessageToSend[] {
  const messages: MessageToSend[] = [
    {
      key: `${key}:sms`,
      kind,
      channel: 'sms',
      recipient: phone,
      message: { subject: '', text: sms },
      ...rest,
    },
    { key: `${key}:email`, kind, channel: 'email', recipient: email, message: mail, ...rest },
  ]
  return messages.filter(({ recipient }) => recipient !== '')
}
