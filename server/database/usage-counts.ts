import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

/** A counter that all processes share: one row of `usage_count` for its key and each hour or day in UTC. */
export type Counter = { key: string; window: 'hour' | 'day' }

/** A counter that `countUp` has raised. `windowStart`: when its hour or day began. `count`: the count after that. */
export type Counted = { key: string; windowStart: Date; count: number }

/** The beginning of the keys that count tries at dormant accounts; their rows are kept longer than the others (D122). */
export const dormantTriesPrefix = 'dormant '

/** The largest `integer` of PostgreSQL. */
const maxCount = 2 ** 31 - 1

/**
 * Adds one to each counter that is below the limit, which is one limit for all of them. Returns the new counts by key, so
 * no two counters may have the same key; a counter at its limit is missing.
 *
 * Call it outside a transaction: many people share these rows, and a transaction would lock them until its end. A process
 * that hangs in the transaction would block all sign-ins. The statement does not wait for the disk: a later commit, such as
 * that of the code which is counted, flushes the count as well. A crash before that loses the count.
 */
export async function countUp(
  db: Kysely<Schema>,
  counters: readonly Counter[],
  limit = maxCount,
): Promise<Map<string, Counted>> {
  if (counters.length === 0) return new Map()
  const most = Math.min(limit, maxCount)
  const { rows } = await sql<Counted>`
    with asynchronous_commit as (select set_config('synchronous_commit', 'off', true)),
    counter (key, window_start) as (values ${valuesOf(counters)})
    insert into usage_count (key, window_start, count)
    select key, window_start, 1 from asynchronous_commit, counter where ${most}::integer > 0
    order by key -- All statements lock the rows in this order, so that they never deadlock.
    on conflict (key, window_start) do update set count = usage_count.count + 1
      where usage_count.count < ${most}::integer
    returning key, window_start as "windowStart", count`.execute(db)
  return new Map(rows.map(row => [row.key, row]))
}

/**
 * The most that one key may count in a day, and in the last `periodDays` times 24 hours. The day in which these hours begin
 * counts whole, so the period has today and `periodDays` days before.
 */
export type PeriodLimits = { perDay: number; perPeriod: number; periodDays: number }

/**
 * Adds one to the counter of today, unless the day or the period is at its limit. This is one statement, so that calls
 * at the same time share the limits. `left`: how many more may be counted today. `isPeriodSpent`: the period is at its
 * limit.
 */
export async function countUpWithinLimits(
  db: Kysely<Schema>,
  key: string,
  { perDay, perPeriod, periodDays }: PeriodLimits,
): Promise<{ isCounted: boolean; left: number; isPeriodSpent: boolean }> {
  const { rows } = await sql<{ unused: number; today: number | null }>`
    with past as (
      select (${perPeriod}::integer - coalesce(sum(count), 0))::integer as unused from usage_count
      where key = ${key} and window_start <> date_trunc('day', now())
        and window_start + interval '1 day' > now() - make_interval(days => ${periodDays})),
    counted as (
      insert into usage_count (key, window_start, count)
      select ${key}, date_trunc('day', now()), 1 from past where unused > 0
      on conflict (key, window_start) do update set count = usage_count.count + 1
        where usage_count.count < (select least(${perDay}::integer, unused) from past)
      returning count)
    select unused, (select count from counted) as today from past`.execute(db)
  const { unused = 0, today = null } = rows[0] ?? {}
  const left = today === null ? 0 : Math.min(perDay, unused) - today
  return { isCounted: today !== null, left, isPeriodSpent: left === 0 && unused <= perDay }
}

/** Deletes a counter with all its hours or days. */
export async function clearCount(db: Kysely<Schema>, key: string): Promise<void> {
  await db.deleteFrom('usage_count').where('key', '=', key).execute()
}

/**
 * Takes back one from each counter, for a code or a message that was counted but not sent. A later hour or day may have
 * begun since, so each counter names its own.
 */
export async function countDown(db: Kysely<Schema>, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return
  const windows = counted.map(({ key, windowStart }) => sql`(${key}::text, ${windowStart}::timestamptz)`)
  await sql`
    with asynchronous_commit as (select set_config('synchronous_commit', 'off', true)),
    counter (key, window_start) as (values ${sql.join(windows)}),
    locked as (
      select usage_count.key, usage_count.window_start from usage_count join counter using (key, window_start)
      order by usage_count.key for update of usage_count)
    update usage_count set count = usage_count.count - 1 from asynchronous_commit, locked
    where usage_count.key = locked.key and usage_count.window_start = locked.window_start`.execute(db)
}

/** Returns the counts of this hour or day by key; a counter that has not counted in it is missing. */
export async function readCounts(
  db: Kysely<Schema>,
  counters: readonly Counter[],
): Promise<Map<string, number>> {
  if (counters.length === 0) return new Map()
  const { rows } = await sql<{ key: string; count: number }>`
    with counter (key, window_start) as (values ${valuesOf(counters)})
    select key, count from usage_count join counter using (key, window_start)`.execute(db)
  return new Map(rows.map(({ key, count }) => [key, count]))
}

function valuesOf(counters: readonly Counter[]): RawBuilder<unknown> {
  return sql.join(
    counters.map(({ key, window }) => sql`(${key}::text, date_trunc(${sql.lit(window)}, now()))`),
  )
}
