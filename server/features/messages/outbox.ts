import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Attachment } from '#server/integrations/messenger.ts'

export type MessageToSend = {
  /** Identifies the cause: a second message with the same key is not sent. */
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  message: {
    subject: string
    text: string
    code?: string
    attachments?: Attachment[]
    /** Id of the application whose receipt is printed and attached when the message is sent. */
    receiptOf?: string
  }
  /** The message is not sent after this time, for example because its code has expired. */
  uselessAfterSeconds?: number
}

/** A message without a recipient is stored as failed, so that storing it takes the same time as any other. */
const noRecipient = ''

/** Stores a message in the transaction of its cause, so that both are committed or neither. */
export async function enqueue(
  trx: Transaction<Schema> | Kysely<Schema>,
  toSend: MessageToSend,
): Promise<void> {
  const { key, channel, kind, recipient, message, uselessAfterSeconds } = toSend
  await trx
    .insertInto('outbox')
    .values({
      key,
      channel,
      kind,
      recipient,
      message: JSON.stringify(recipient === noRecipient ? {} : { ...message, uselessAfterSeconds }),
      failed_at: recipient === noRecipient ? sql<Date>`now()` : null,
    })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
}
