import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentRow } from './payment-answer.ts'

const [minute, hour, day] = [60, 3_600, 86_400]

/** After this time without a final answer the order ends, and the applicant can use another method. */
export const giveUpAfterSeconds = day

/** Time between the order and the first status query. */
export const firstAskAfterSeconds = 15

/** Query times after the order: every 15 s for five minutes, then at 6, 11 and 26 minutes, then hourly for a day (D42). */
const openAskSeconds = [
  ...Array.from({ length: 20 }, (_, index) => (index + 1) * firstAskAfterSeconds),
  6 * minute,
  11 * minute,
  26 * minute,
  ...Array.from({ length: 24 }, (_, index) => (index + 1) * hour),
]

/** Query times after the order has failed, because some operators take the money late. */
const failedAskSeconds = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day]

/** Returns the seconds until the next status query; undefined when no query follows. */
export function nextAskSeconds(
  payment: Pick<PaymentRow, 'status' | 'given_up_at'>,
  { age, settled }: Pick<Ages, 'age' | 'settled'>,
): number | undefined {
  if (payment.status === 'SUCCESS') return undefined
  // The reconciler ends the order after the last time; the minute is for the case that this failed.
  if (payment.status === 'IN_PROGRESS') return secondsUntilNext(openAskSeconds, age) ?? minute
  // After a day without an answer the server queries daily for a week, to find a late success.
  if (payment.given_up_at !== null) return age < 8 * day ? day : undefined
  return secondsUntilNext(failedAskSeconds, settled)
}

/**
 * Seconds since the order (`age`), since it was last sent to its provider (`sent`; the order's age if it was never sent)
 * and since its end (`settled`; 0 while it is open).
 */
export type Ages = { age: number; sent: number; settled: number }

/** Reads the ages by the database's clock, which also wrote the times. */
export async function readAges(db: Kysely<Schema>, paymentId: string): Promise<Ages> {
  return db
    .selectFrom('payment')
    .select([
      sql<number>`extract(epoch from now() - created_at)::float8`.as('age'),
      sql<number>`extract(epoch from now() - coalesce(sent_at, created_at))::float8`.as('sent'),
      sql<number>`coalesce(extract(epoch from now() - settled_at), 0)::float8`.as('settled'),
    ])
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow()
}

/** A query time less than 1 s ahead counts as past, because that query is running now. */
function secondsUntilNext(queryTimes: readonly number[], ageSeconds: number): number | undefined {
  const next = queryTimes.find(time => time > ageSeconds + 1)
  return next === undefined ? undefined : next - ageSeconds
}
