import { type Kysely, sql } from 'kysely'
import * as z from 'zod/mini'
import { destinationOf } from '#contract/states.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Attachment, Messengers, OutgoingMessage, SendResult } from '#server/integrations/messenger.ts'
import { applicationColumns } from '#server/features/applications/own-application.ts'
import { createReceiptPrinter } from '#server/features/receipt/receipt-printer.ts'
import { messages, messageWaits } from '#server/calls/event-counts.ts'
import type { Services } from '#server/calls/services.ts'
import { type ClaimedMessage, claimDue, renewClaim } from './claim-due.ts'
import { lanes, priorityName } from './lanes.ts'
import { useNoticeBudget } from './notice-budget.ts'
import { isOutdated } from './outdated-messages.ts'
import { decryptMessage } from './stored-message.ts'

/**
 * Sends the due messages of one batch and returns how many it claimed. Only tests call this function: a server sends
 * them by `startOutboxWorker`, with the same two steps.
 *
 * A process claims a message before it sends it, so only one process sends it while the claim lasts. The claim also
 * schedules the next try, so a crash loses no message. A message that was sent but not recorded is sent again with the
 * same key, so that a gateway can recognise the repeat.
 */
export async function deliverDue(services: Services, messengers: Messengers): Promise<number> {
  const claimed = await claimDue(services.db, lanes)
  await Promise.all(claimed.map(row => deliverMessage(services, messengers, row)))
  return claimed.length
}

/**
 * Sends a claimed message and records the result. A failed try is repeated until `give_up_at` of the message has passed. A
 * message that waits for a budget was not tried, so it gets its last try later.
 */
export async function deliverMessage(
  services: Services,
  messengers: Messengers,
  row: ClaimedMessage,
): Promise<void> {
  const { db, logger } = services
  // Its text is no longer true. Other late messages get a last try, for a gateway that works again after days.
  if (row.is_late && 'uselessAfterSeconds' in row.message) return recordFailure(db, row, 'too late')
  if (!(await mayStillGet(db, row))) return recordFailure(db, row, removedContact)
  if (await isOutdated(db, row)) return recordFailure(db, row, outdated)
  const result = await send(services, messengers, row)
  if (result.kind === 'lost') return undefined
  if (result.kind === 'sent') return recordSent(db, row, result)
  const isLast = row.is_late && result.kind === 'failed'
  logger.warn(
    { outbox: row.id, kind: row.kind, tries: row.attempts, reason: result.reason, last: isLast },
    isLast
      ? 'A message was not sent after the last try. It is not retried. If the reason names a gateway, check it, then send the message with "npm run office -- messages --resend".'
      : 'A message was not sent. The server retries it later. If this repeats and the reason names a gateway, check it.',
  )
  if (isLast) return recordFailure(db, row, result.reason)
  await db
    .updateTable('outbox')
    .set({ claimed_until: null, last_failure: result.reason })
    .where(isClaimOf(row))
    .execute()
  messages.inc({ channel: row.channel, outcome: 'retried' })
}

/** Why a message is not sent to a contact that the account has no more. */
const removedContact = 'the account no longer has this contact'

/** Why a message is not sent whose text is no longer true (`isOutdated`). */
const outdated = 'what it says has changed since'

/**
 * Whether the account still has the contact: a message may wait for days, and a contact that was removed since may be a
 * thief's, or have a new holder (D109). Messages about a change of contacts go to a removed contact on purpose (D70), but
 * those about an undo, or about the deletion of the account, do not.
 */
async function mayStillGet(
  db: Kysely<Schema>,
  { applicant_id: applicantId, key, channel, recipient }: ClaimedMessage,
): Promise<boolean> {
  if (applicantId === null || key.startsWith('contact-change:')) return true
  const contact = await db
    .selectFrom('contact')
    .select('kind')
    .where('applicant_id', '=', applicantId)
    .where('kind', '=', channel === 'sms' ? 'phone' : 'email')
    .where(columnIsContact('value', recipient))
    .executeTakeFirst()
  return contact !== undefined
}

/**
 * Counts one message in the budget of its day, then sends it: for a message that must wait no receipt is drawn. A
 * message that was not sent is taken out of the budget again, also when an error ends its try.
 */
async function send(services: Services, messengers: Messengers, row: ClaimedMessage): Promise<Sending> {
  const budget = await useNoticeBudget(services, row)
  if (budget.kind === 'spent') return { kind: 'waits', reason: 'the budget of the day is spent' }
  if (budget.kind === 'closed') return { kind: 'failed', reason: 'the budget is 0' }
  let isSent = false
  try {
    const result = await buildAndSend(services, messengers, row)
    isSent = result.kind === 'sent'
    return result
  } finally {
    if (!isSent) await budget.takeBack()
  }
}

/**
 * `lost`: since the claim, for example while its receipt waited to be drawn, the message was claimed again, ended or
 * deleted.
 */
type Built = SendResult | { kind: 'lost' }

type Sending = Built | { kind: 'waits'; reason: string }

/** A message that cannot be built counts as not sent, so that it does not stop the others. */
async function buildAndSend(services: Services, messengers: Messengers, row: ClaimedMessage): Promise<Built> {
  const message = await toOutgoing(services, row).catch((error: unknown) => {
    services.logger.error(
      { err: error, outbox: row.id, kind: row.kind },
      'A message could not be built because of an error in the server. Its tries count as failed. Report the error.',
    )
  })
  if (!(await renewClaim(services.db, row))) return { kind: 'lost' }
  if (message === 'busy') return { kind: 'failed', reason: 'too many files wait to be drawn' }
  if (message === undefined) return { kind: 'failed', reason: 'the message could not be built' }
  return messengers[row.channel].send(message)
}

/** Deletes the content. The row stays, so that no second message with its key is stored. */
async function recordSent(
  db: Kysely<Schema>,
  row: ClaimedMessage,
  { provider, reference }: Extract<SendResult, { kind: 'sent' }>,
): Promise<void> {
  const stored = await db
    .updateTable('outbox')
    .set({
      message: JSON.stringify({}),
      claimed_until: null,
      provider: provider ?? null,
      provider_reference: reference ?? null,
      sent_at: sql<Date>`now()`,
    })
    .where('id', '=', row.id)
    .returning(sql<number>`extract(epoch from now() - created_at)::double precision`.as('seconds'))
    .executeTakeFirst()
  messages.inc({ channel: row.channel, outcome: 'sent' })
  if (stored)
    messageWaits.observe({ channel: row.channel, priority: priorityName(row.priority) }, stored.seconds)
}

/**
 * Keeps the content, so that an operator can send the message later. A code is deleted, because it is a secret, and so
 * is a text that the server never sends again, because it is no longer true or its contact was removed: it may have the
 * link that undoes a change of contacts.
 */
async function recordFailure(db: Kysely<Schema>, row: ClaimedMessage, reason: string): Promise<void> {
  const isUseless =
    reason === removedContact ||
    reason === outdated ||
    'uselessAfterSeconds' in row.message ||
    priorityName(row.priority) === 'code'
  await db
    .updateTable('outbox')
    .set({
      ...(isUseless ? { message: JSON.stringify({}) } : {}),
      claimed_until: null,
      last_failure: reason,
      failed_at: sql<Date>`now()`,
    })
    .where(isClaimOf(row))
    .execute()
  messages.inc({ channel: row.channel, outcome: 'failed' })
}

/** After a send that took longer than its claim, another process may have claimed the message, and may be sending it. */
function isClaimOf({ id, attempts }: ClaimedMessage) {
  return sql<boolean>`id = ${id} and attempts = ${attempts}`
}

async function toOutgoing(
  services: Services,
  { key, channel, kind, recipient, message }: ClaimedMessage,
): Promise<OutgoingMessage | 'busy'> {
  const opened = StoredMessage.parse(decryptMessage(services, { key, message }))
  const { receiptOf, attachments: storedFiles = [], ...stored } = opened
  const attachments = receiptOf === undefined ? storedFiles : await printReceipt(services, receiptOf)
  if (attachments === 'busy') return 'busy'
  return { key, channel, kind, to: recipient, ...stored, ...(attachments.length > 0 ? { attachments } : {}) }
}

/**
 * Prints the current receipt. Returns an empty list when the application has no appointment any more, or no longer exists;
 * then the message is sent without a receipt.
 */
async function printReceipt(services: Services, applicationId: string): Promise<Attachment[] | 'busy'> {
  const { db } = services
  const application = await db
    .selectFrom('application')
    .select(applicationColumns)
    .where('id', '=', applicationId)
    .executeTakeFirst()
  if (application === undefined || destinationOf(application.state) !== 'final') return []
  const print = createReceiptPrinter(services)
  const receipt = await print(db, { application, language: application.language })
  if (receipt === undefined) return []
  if (receipt === 'busy') return 'busy'
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
