import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import { destinationOf } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Attachment, Messengers, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { createReceiptPrinter } from '#server/features/receipt/receipt-printer.ts'
import type { Services } from '#server/calls/services.ts'

const maxAttempts = 10
const batchSize = 10

/** Longer than the timeout of every gateway. After a crash the message waits until the claim and `next_at` have passed. */
const claimSeconds = 60

/**
 * Sends the due messages of one batch and returns how many it claimed. A process claims a message before it sends it, so
 * only one process sends it. The claim also schedules the next try, so a crash loses no message. A message that was sent
 * but not recorded is sent again with the same key, so that a gateway can recognise the repeat.
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
  const isLastTry = row.attempts >= maxAttempts
  logger.warn(
    { outbox: row.id, kind: row.kind, tries: row.attempts, reason: result.reason, last: isLastTry },
    isLastTry
      ? 'A message was not sent after the last try. It is not retried. If the reason names a gateway, check it.'
      : 'A message was not sent. The server retries it later. If this repeats and the reason names a gateway, check it.',
  )
  if (isLastTry) return recordResult(db, row, 'failed')
  await db.updateTable('outbox').set({ claimed_until: null }).where('id', '=', row.id).execute()
}

/** Sends one message. A message that cannot be built counts as not sent, so that it does not stop the others. */
async function send(services: Services, messengers: Messengers, row: ClaimedMessage): Promise<SendResult> {
  const message = await toOutgoing(services, row).catch((error: unknown) => {
    services.logger.error(
      { err: error, outbox: row.id, kind: row.kind },
      'A message could not be built because of an error in the server. Its tries count as failed. Report the error.',
    )
  })
  return message === undefined
    ? { kind: 'failed', reason: 'the message could not be built' }
    : messengers[row.channel].send(message)
}

/**
 * Deletes the content, which may be a code or a receipt. The row stays, so that no second message with its key is stored.
 */
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
  const { receiptOf, attachments: storedFiles = [], ...stored } = StoredMessage.parse(message)
  const attachments = receiptOf === undefined ? storedFiles : await printReceipt(services, receiptOf)
  return { key, channel, kind, to: recipient, ...stored, ...(attachments.length > 0 ? { attachments } : {}) }
}

/**
 * Prints the current receipt. Returns an empty list when the appointment was cancelled after the message was stored;
 * then the message is sent without a receipt.
 */
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
