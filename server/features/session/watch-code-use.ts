import { type Kysely, sql } from 'kysely'
import { knownDialCodes } from '#contract/dial-codes.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { emailBudgetKey, smsBudgetKey } from './code-budget.ts'
import { areFewUsed } from './code-demand-rule.ts'
import { readCounts } from '#server/database/usage-counts.ts'

/** The SMS codes to one country code that applicants had time to use, and how many were used. */
type CodeUse = { dialCode: string; sent: number; used: number }

/**
 * Counts the codes that were sent from 75 to 15 minutes ago, because newer codes may still be on their way. Only codes
 * to a typed number count: one of `other_channel` goes to the other contact of the account. When one code is used, the
 * other codes of its challenge count as used too (`useCode`). A code without a recipient, for example after 80 % of the
 * budget (D91), is stored but not sent; only its message shows this (`storeCode`).
 */
async function readCodeUse(db: Kysely<Schema>): Promise<CodeUse[]> {
  const rows = await sql<CodeUse>`
    select dial_code as "dialCode", count(*)::integer as sent, count(used_at)::integer as used
    from one_time_code join challenge on challenge.id = one_time_code.challenge_id
    where kind = 'phone' and not other_channel
      and sent_at between now() - interval '75 minutes' and now() - interval '15 minutes'
      and not exists (
        select from outbox where key = 'otp-' || challenge_id || '-' || one_time_code.id and recipient = '')
    group by dial_code order by dial_code`.execute(db)
  return rows.rows
}

/**
 * Finds country codes whose SMS codes are mostly unused. Either the SMS do not arrive, or an attacker earns money with
 * each SMS (SMS pumping). Logs a warning, and requires a captcha for each code to that country for one hour.
 */
export async function watchCodeUse({ db, logger }: Services): Promise<void> {
  for (const { dialCode, sent, used } of await readCodeUse(db)) {
    if (!areFewUsed({ sent, used })) continue
    logger.warn(
      { dialCode, sent, used },
      'Less than 30 % of the recent SMS codes to this country code were used. A captcha is required there for one hour. Check delivery, and check for SMS pumping.',
    )
    await db
      .insertInto('usage_count')
      .values({ key: watchKey(dialCode), window_start: sql<Date>`now()`, count: 1 })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
}

/** Whether each code to this country code needs a captcha at the moment. */
export async function requiresCaptcha(db: Kysely<Schema>, dialCode: string): Promise<boolean> {
  const row = await db
    .selectFrom('usage_count')
    .select('count')
    .where('key', '=', watchKey(dialCode))
    .where('window_start', '>', sql<Date>`now() - interval '1 hour'`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Counts today's codes by SMS to each country code. Each counter begins with a day, so one of the last 24 hours is today's.
 * The statement names the keys of these counters, so that it reads no other counter. Because it begins with a comment,
 * PostgreSQL plans it at each call (preparing-client.ts).
 */
export async function readSpentBudgets(db: Kysely<Schema>): Promise<{ dialCode: string; spent: number }[]> {
  const keys = knownDialCodes.map(code => `${smsBudgetKey}${code}`)
  const { rows } = await sql<{ key: string; count: number }>`/* not prepared (D95) */
    select key, count from usage_count
    where key = any (${keys}::text[]) and window_start > now() - interval '1 day'`.execute(db)
  return rows.map(({ key, count }) => ({ dialCode: key.slice(smsBudgetKey.length), spent: count }))
}

/** Counts today's codes by e-mail. */
export async function readSpentEmails(db: Kysely<Schema>): Promise<number> {
  const counts = await readCounts(db, [{ key: emailBudgetKey, window: 'day' }])
  return counts.get(emailBudgetKey) ?? 0
}

function watchKey(dialCode: string): string {
  return `few used ${dialCode}`
}
