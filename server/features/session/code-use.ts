import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { budgetKey } from './code-limits.ts'

/** Codes by SMS to one country code that have had their time to be used, and how many of them were. */
export type CodeUse = { dialCode: string; sent: number; used: number }

/** Of an hour's codes, the last quarter of an hour left out: those may still be on their way. */
export async function readCodeUse(db: Kysely<Schema>): Promise<CodeUse[]> {
  const rows = await sql<CodeUse>`
    select dial_code as "dialCode", count(*)::integer as sent, count(used_at)::integer as used
    from one_time_code join challenge on challenge.id = one_time_code.challenge_id
    where kind = 'phone' and not other_channel
      and sent_at between now() - interval '75 minutes' and now() - interval '15 minutes'
    group by dial_code order by dial_code`.execute(db)
  return rows.rows
}

/** Fewer than this say nothing. */
const minCodesForVerdict = 20
const minUsedShare = 0.3

/**
 * Codes that nobody enters are asked for by somebody who is paid for each (SMS pumping), or do not arrive: the
 * operator hears of it, and for an hour each code to that country takes a captcha.
 */
export async function watchCodeUse({ db, logger }: Services): Promise<void> {
  for (const { dialCode, sent, used } of await readCodeUse(db)) {
    if (sent < minCodesForVerdict || used / sent >= minUsedShare) continue
    logger.warn({ dialCode, sent, used }, 'few codes to a country code are used')
    await db
      .insertInto('usage_count')
      .values({ key: watchKey(dialCode), window_start: sql<Date>`now()`, count: 1 })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
}

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

/** How many SMS went to each country code today. */
export async function readSpentBudgets(db: Kysely<Schema>): Promise<{ dialCode: string; spent: number }[]> {
  const rows = await db
    .selectFrom('usage_count')
    .select(['key', 'count'])
    .where('key', 'like', `${budgetKey}_%`)
    .where('window_start', '>', sql<Date>`now() - interval '1 day'`)
    .execute()
  return rows.map(({ key, count }) => ({ dialCode: key.slice(budgetKey.length), spent: count }))
}

function watchKey(dialCode: string): string {
  return `few used ${dialCode}`
}
