import { type Kysely, sql, type Transaction } from 'kysely'
import * as z from 'zod/mini'
import { destinationOf } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Attachment, Messengers, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { createReceiptPrinter } from '#server/features/receipt/receipt-printer.ts'
import type { Services } from '#server/calls/services.ts'

export type MessageToSend = {
  /** The cause, once: a second message with the same key is not sent. */
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  message: {
    subject: string
    text: string
    code?: string
    attachments?: Attachment[]
    /** The application whose receipt is printed and attached when the message is sent. */
    receiptOf?: string
  }
  /** No sense in sending it later than this: a code that has expired. */
  uselessAfterSeconds?: number
}

/** What marks a message that goes to nobody; it is kept as failed, for the sake of the work that it takes. */
const noRecipient = ''

const maxAttempts = 10
const batchSize = 10

/** Puts a message into the same transaction as its cause: both happen, or neither. */
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

/** Longer than any gateway is waited for. */
const claimSeconds = 60

/**
 * Sends what is due, and says how much it took. One process alone sends a message: it claims it first, and its next
 * try is scheduled with the claim, so a process that dies while sending loses nothing. What it had handed over and
 * not noted goes out again under the same key, by which a gateway can tell the repeat.
 */
export async function deliverDue(services: Services, messengers: Messengers): Promise<number> {
  const claimed = await claimDue(services.db)
  await Promise.all(claimed.map(row => deliverMessage(services, messengers, row)))
  return claimed.length
}

type ClaimedMessage = {
  id: number
  key: string
  channel: 'sms' | 'email'
  kind: string
  recipient: string
  message: Record<string, unknown>
  attempts: number
  age_seconds: number
}

async function claimDue(db: Kysely<Schema>): Promise<ClaimedMessage[]> {
  const claimed = await sql<ClaimedMessage>`
    update outbox set
      attempts = attempts + 1,
      claimed_until = now() + make_interval(secs => ${claimSeconds}),
      next_at = now() + least(interval '15 seconds' * power(2, attempts), interval '1 hour')
    where id in (
      select id from outbox
      where sent_at is null and failed_at is null and next_at <= now()
        and (claimed_until is null or claimed_until <= now())
      order by next_at
      limit ${sql.lit(batchSize)}
      for update skip locked)
    returning id, key, channel, kind, recipient, message, attempts,
      extract(epoch from now() - created_at)::integer as age_seconds`.execute(db)
  return claimed.rows.toSorted((one, other) => one.id - other.id)
}

async function deliverMessage(
  services: Services,
  messengers: Messengers,
  row: ClaimedMessage,
): Promise<void> {
  const { db, logger } = services
  const { uselessAfterSeconds } = row.message
  if (typeof uselessAfterSeconds === 'number' && row.age_seconds > uselessAfterSeconds)
    return recordResult(db, row, 'failed')
  const result = await send(services, messengers, row)
  if (result.kind === 'sent') return recordResult(db, row, 'sent', result)
  const last = row.attempts >= maxAttempts
  logger.warn(
    { outbox: row.id, kind: row.kind, tries: row.attempts, reason: result.reason, last },
    'message not sent',
  )
  if (last) return recordResult(db, row, 'failed')
  await db.updateTable('outbox').set({ claimed_until: null }).where('id', '=', row.id).execute()
}

/** A message that cannot be made is one that was not sent: those after it go out all the same. */
async function send(services: Services, messengers: Messengers, row: ClaimedMessage): Promise<SendResult> {
  const message = await toOutgoing(services, row).catch((error: unknown) => {
    services.logger.error({ err: error, outbox: row.id, kind: row.kind }, 'bug in a message')
  })
  return message === undefined
    ? { kind: 'failed', reason: 'it could not be made' }
    : messengers[row.channel].send(message)
}

/** What was said is nobody's business afterwards: a code, a receipt. The row stays, so that its key does. */
async function recordResult(
  db: Kysely<Schema>,
  row: ClaimedMessage,
  outcome: 'sent' | 'failed',
  report: Omit<Extract<SendResult, { kind: 'sent' }>, 'kind'> = {},
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      message: JSON.stringify({}),
      claimed_until: null,
      provider: report.provider ?? null,
      provider_reference: report.reference ?? null,
      [outcome === 'sent' ? 'sent_at' : 'failed_at']: sql`now()`,
    })
    .where('id', '=', row.id)
    .execute()
}

async function toOutgoing(
  services: Services,
  { key, channel, kind, recipient, message }: ClaimedMessage,
): Promise<OutgoingMessage> {
  const { receiptOf, attachments: kept = [], ...stored } = StoredMessage.parse(message)
  const attachments = receiptOf === undefined ? kept : await printReceipt(services, receiptOf)
  return { key, channel, kind, to: recipient, ...stored, ...(attachments.length > 0 ? { attachments } : {}) }
}

/** As it is now; nothing when the appointment was given up meanwhile. */
async function printReceipt(services: Services, applicationId: string): Promise<Attachment[]> {
  const { db } = services
  const application = await db
    .selectFrom('application')
    .selectAll()
    .where('id', '=', applicationId)
    .executeTakeFirst()
  if (application === undefined || destinationOf(application.state) !== 'final') return []
  const print = createReceiptPrinter(services)
  const receipt = await print(db, { application, language: application.language })
  if (receipt === undefined) return []
  return [
    {
      name: `${application.number}.pdf`,
      type: 'application/pdf',
      base64: Buffer.from(receipt).toString('base64'),
    },
  ]
}

const StoredMessage = z.object({
  subject: z.string(),
  text: z.string(),
  code: z.exactOptional(z.string()),
  attachments: z.exactOptional(z.array(z.object({ name: z.string(), type: z.string(), base64: z.string() }))),
  receiptOf: z.exactOptional(z.string()),
})
