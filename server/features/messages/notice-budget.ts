import { homeDialCode } from '#contract/codes.ts'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { splitMsisdn } from '#contract/phone.ts'
import { type Kysely, sql } from 'kysely'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Counter, countDown, countUp } from '#server/database/usage-counts.ts'
import type { ClaimedMessage } from './claim-due.ts'
import { priorityName } from './lanes.ts'

/** `dialCode` is '' for e-mails. */
type Recipients = { channel: ClaimedMessage['channel']; dialCode: string }

/** Bulk messages may spend this share of a budget: the rest is for messages about payments and bookings. */
const bulkShare = 0.8

const emailKey = 'notice email'
const smsKey = 'notice sms '

/**
 * `takeBack` is for a message that no gateway took. `spent`: nothing of the budget is left for the message, which waits
 * for the next day. `closed`: the budget is 0, so no next day has one either.
 */
type BudgetUse = { kind: 'counted'; takeBack: () => Promise<void> } | { kind: 'spent' } | { kind: 'closed' }

/**
 * Counts a message before it is sent, in the budget of its day: of SMS to its country code, or of e-mails.
 *
 * Codes have their own budget (D91), which is counted when they are requested. Messages of the kind `security` (a change of
 * contacts, the deletion of an account) count but are never held back: they stop a theft, and each needs a code before.
 */
export async function useNoticeBudget(
  { db, config, logger }: Services,
  message: Pick<ClaimedMessage, 'channel' | 'kind' | 'recipient' | 'priority'>,
): Promise<BudgetUse> {
  if (message.kind === 'otp') return { kind: 'counted', takeBack: async () => undefined }
  const recipients = recipientsOf(message)
  const counter: Counter = { key: keyOf(recipients), window: 'day' }
  const total = totalOf(config, recipients)
  // Rounds up, so that a budget of one lets a bulk message through.
  const bulkLimit = Math.ceil(total * bulkShare)
  const limit = limitOf(message, { total, bulkLimit })
  const counted = (await countUp(db, [counter], limit)).get(counter.key)
  const fields = { ...recipients, budget: total }
  if (counted?.count === total) logger.error(fields, alerts.spent)
  else if (counted?.count === bulkLimit) logger.warn(fields, alerts.reserved)
  if (counted) return { kind: 'counted', takeBack: () => countDown(db, [counted]) }
  return { kind: limit === 0 ? 'closed' : 'spent' }
}

function limitOf(
  { kind, priority }: Pick<ClaimedMessage, 'kind' | 'priority'>,
  { total, bulkLimit }: { total: number; bulkLimit: number },
): number | undefined {
  if (kind === 'security') return undefined
  return priorityName(priority) === 'bulk' ? bulkLimit : total
}

function recipientsOf({ channel, recipient }: Pick<ClaimedMessage, 'channel' | 'recipient'>): Recipients {
  return { channel, dialCode: channel === 'email' ? '' : splitMsisdn(recipient, knownDialCodes).dialCode }
}

function keyOf({ channel, dialCode }: Recipients): string {
  return channel === 'email' ? emailKey : `${smsKey}${dialCode}`
}

function totalOf({ noticeBudget }: Services['config'], { channel, dialCode }: Recipients): number {
  if (channel === 'email') return noticeBudget.email
  return dialCode === homeDialCode ? noticeBudget.home : noticeBudget.abroad
}

/**
 * Returns the spent share of today's budget for e-mails, and of that for SMS to each country code with a counted SMS.
 * The query names the keys of all these budgets, so that it reads no other counter. Because it begins with a comment,
 * PostgreSQL plans it at each call (preparing-client.ts).
 */
export async function readSpentNotices({
  db,
  config,
}: {
  db: Kysely<Schema>
  config: Services['config']
}): Promise<(Recipients & { share: number })[]> {
  const all: Recipients[] = [
    { channel: 'email', dialCode: '' },
    ...knownDialCodes.map((dialCode): Recipients => ({ channel: 'sms', dialCode })),
  ]
  const { rows } = await sql<{ key: string; count: number }>`/* not prepared (D95) */
    select key, count from usage_count
    where key = any (${all.map(keyOf)}::text[]) and window_start > now() - interval '1 day'`.execute(db)
  const counts = new Map(rows.map(({ key, count }) => [key, count]))
  return all
    .map(each => ({ ...each, spent: counts.get(keyOf(each)) ?? 0, total: totalOf(config, each) }))
    .filter(({ spent, channel }) => spent > 0 || channel === 'email')
    .map(({ spent, total, ...each }) => ({ ...each, share: spent / Math.max(total, 1) }))
}

const alerts = {
  reserved:
    'The daily budget of messages that are no codes is 80 % spent. The rest is for messages about payments and bookings; reminders, closed days, missed appointments and warnings of a deletion wait until tomorrow. Check why so many are sent, or raise NOTICE_BUDGET_HOME, NOTICE_BUDGET_ABROAD or NOTICE_BUDGET_EMAIL.',
  spent:
    'The daily budget of messages that are no codes is spent. These messages wait until tomorrow, except those about a change of contacts or the deletion of an account. Check why so many are sent, then raise NOTICE_BUDGET_HOME, NOTICE_BUDGET_ABROAD or NOTICE_BUDGET_EMAIL.',
} as const
