import { type Kysely, sql, type Transaction } from 'kysely'
import { contactValues } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { messagePriorityOf } from './lanes.ts'
import { type MessageContent, messageValues } from './stored-message.ts'

export type MessageToSend = {
  /** Identifies the cause: a second message with the same key is not sent. */
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  /** The account that the message is about, so that the deletion of the account finds the message (D112). */
  applicantId?: string | undefined
  message: MessageContent
  /** The message is not sent after this time, because its text is no longer true: its code has expired, for example. */
  uselessAfterSeconds?: number
}

/**
 * For a message without `uselessAfterSeconds`. A gateway may be down for days: a try that fails after this time is the last
 * one. `deliverMessage` tells both kinds apart by `uselessAfterSeconds` in the stored message.
 */
export const giveUpSeconds = 5 * 86_400

/** A message without a recipient is stored as failed, so that storing it takes the same time as any other. */
const noRecipient = ''

/** Stores a message in the transaction of its cause, so that both are committed or neither. */
export async function enqueue(
  trx: Transaction<Schema> | Kysely<Schema>,
  toSend: MessageToSend,
): Promise<void> {
  await enqueueAll(trx, [toSend])
}

/** Stores several messages. The text of the statement is the same for any number, so that it is prepared once. */
export async function enqueueAll(
  trx: Transaction<Schema> | Kysely<Schema>,
  messages: readonly MessageToSend[],
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into outbox (key, channel, kind, recipient, applicant_id, message, priority, give_up_at, failed_at)
    select key, channel, kind, recipient, applicant_id, message, priority,
      now() + make_interval(secs => seconds), case when recipient = ${noRecipient} then now() end
    from unnest(
      ${messages.map(({ key }) => key)}::text[],
      ${messages.map(({ channel }) => channel)}::text[],
      ${messages.map(({ kind }) => kind)}::text[],
      ${contactValues(messages.map(({ recipient }) => recipient))},
      ${messages.map(({ applicantId }) => applicantId ?? null)}::uuid[],
      ${messageValues(messages.map(toStored))},
      ${messages.map(messagePriorityOf)}::smallint[],
      ${messages.map(({ uselessAfterSeconds }) => uselessAfterSeconds ?? giveUpSeconds)}::double precision[]
    ) as stored (key, channel, kind, recipient, applicant_id, message, priority, seconds)
    on conflict (key) do nothing`.execute(trx)
}

/** A message to a contact of an applicant: the statement that stores it finds the recipient. */
export type MessageToApplicant = Omit<MessageToSend, 'recipient'> & { applicantId: string }

/**
 * Stores messages for the contacts that applicants have proven with a code, and for no other number or address (D109).
 * An applicant without a contact of the channel gets none. The contacts are read in the same statement, because
 * bookings wait for it.
 */
export async function enqueueToApplicants(
  trx: Transaction<Schema> | Kysely<Schema>,
  messages: readonly MessageToApplicant[],
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into outbox (key, channel, kind, recipient, applicant_id, message, priority, give_up_at)
    select key, channel, stored.kind, contact.value, stored.applicant_id, message, priority, now() + make_interval(secs => seconds)
    from unnest(
      ${messages.map(({ key }) => key)}::text[],
      ${messages.map(({ applicantId }) => applicantId)}::uuid[],
      ${messages.map(({ channel }) => channel)}::text[],
      ${messages.map(({ kind }) => kind)}::text[],
      ${messageValues(messages.map(each => toStored({ ...each, recipient: each.applicantId })))},
      ${messages.map(messagePriorityOf)}::smallint[],
      ${messages.map(({ uselessAfterSeconds }) => uselessAfterSeconds ?? giveUpSeconds)}::double precision[]
    ) as stored (key, applicant_id, channel, kind, message, priority, seconds)
    join contact on contact.applicant_id = stored.applicant_id
      and contact.kind = case channel when 'sms' then 'phone' else 'email' end
    on conflict (key) do nothing`.execute(trx)
}

function toStored({ key, recipient, message, uselessAfterSeconds }: MessageToSend) {
  return { key, content: recipient === noRecipient ? undefined : message, uselessAfterSeconds }
}
