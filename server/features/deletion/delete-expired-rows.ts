import { type Kysely, sql } from 'kysely'
import { keptDays, type KeptKind } from '#contract/retention.ts'
import type { Schema } from '#server/database/schema.ts'
import { dormantTriesPrefix } from '#server/database/usage-counts.ts'

/**
 * Deletes expired rows and, in rows that stay, the phone numbers of old orders and the texts of failed messages that
 * are no longer true (D113). The job may run at any time, because each row expires by its own date. Each statement
 * changes one batch of rows, so that no statement holds its locks for long. It leaves a row that another transaction
 * changes to the next run: PostgreSQL before the releases of November 2025 would delete it after the wait for its lock,
 * although it no longer fits. Because a statement begins with a comment, PostgreSQL plans it at each call
 * (preparing-client.ts): a plan that it made for a small table would scan the whole table.
 */
export async function deleteExpiredRows(db: Kysely<Schema>): Promise<void> {
  for (const { table, kind, where, change } of expiring) {
    const days = `interval '${keptDays[kind]} days'`
    const batch = `array(select ctid from ${table} where ${where(days)} limit ${batchSize} for update skip locked)`
    const statement = `/* not prepared (D95) */
      ${change ?? `delete from ${table}`} where ctid = any (${batch})`
    for (;;) {
      const { numAffectedRows = 0n } = await sql.raw(statement).execute(db)
      if (numAffectedRows < BigInt(batchSize)) break
    }
  }
}

const batchSize = 5_000

/** `where`: the expired rows of the table; `days`: the interval of `kind`. `change`: instead of a deletion. */
type Expiring = { table: keyof Schema; kind: KeptKind; where: (days: string) => string; change?: string }

const withoutCodes = 'not exists (select 1 from one_time_code where challenge_id = challenge.id)'

const isOfDormant = `starts_with(key, '${dormantTriesPrefix}')`

const expiring: readonly Expiring[] = [
  { table: 'one_time_code', kind: 'codes', where: days => `sent_at < now() - ${days}` },
  {
    table: 'challenge',
    kind: 'codes',
    where: days => `proven_at is null and created_at < now() - ${days} and ${withoutCodes}`,
  },
  {
    table: 'challenge',
    kind: 'browsers',
    where: days => `proven_at < now() - ${days} and ${withoutCodes}`,
  },
  {
    table: 'usage_count',
    kind: 'limits',
    where: days => `window_start < now() - ${days} and not ${isOfDormant}`,
  },
  {
    table: 'usage_count',
    kind: 'dormantTries',
    where: days => `window_start < now() - ${days} and ${isOfDormant}`,
  },
  { table: 'used_captcha', kind: 'limits', where: days => `expires_at < now() - ${days}` },
  { table: 'receipt_ticket', kind: 'codes', where: days => `expires_at < now() - ${days}` },
  { table: 'security_event', kind: 'securityEvents', where: days => `at < now() - ${days}` },
  { table: 'refresh_token', kind: 'sessions', where: () => `expires_at < now() - interval '1 day'` },
  { table: 'session', kind: 'sessions', where: days => `created_at < now() - ${days}` },
  // An undo is possible for 72 hours (D70); the applicant's data show the change for longer.
  { table: 'contact_change', kind: 'contactChanges', where: days => `changed_at < now() - ${days}` },
  { table: 'idempotency', kind: 'callAnswers', where: days => `created_at < now() - ${days}` },
  // A message is stored before it is sent, so the index on `created_at` finds it.
  {
    table: 'outbox',
    kind: 'messages',
    where: days => `created_at < now() - ${days} and coalesce(sent_at, failed_at) < now() - ${days}`,
  },
  // The text of a failed message that is no longer true may have the code that undoes a change. The server never sends it again.
  {
    table: 'outbox',
    kind: 'codes',
    change: `update outbox set message = '{}'`,
    where: () =>
      `failed_at is not null and recipient <> ''
        and created_at + make_interval(secs => (message->>'uselessAfterSeconds')::double precision) <= now()`,
  },
  { table: 'card_page', kind: 'cardForms', where: days => `expires_at < now() - ${days}` },
  {
    table: 'payment',
    kind: 'payerPhones',
    change: `update payment set phone = '', phone_hash = null`,
    // An operator refunds to the number that paid.
    where: days =>
      `phone <> '' and created_at < now() - ${days} and status <> 'IN_PROGRESS' and ask_at is null
        and not (refund_due and refunded_at is null)`,
  },
  { table: 'past_applicant', kind: 'deletedAccountIds', where: days => `deleted_at < now() - ${days}` },
  {
    table: 'past_order',
    kind: 'orders',
    where: days => `created_at < now() - ${days} and not (refund_due and refunded_at is null)`,
  },
]
