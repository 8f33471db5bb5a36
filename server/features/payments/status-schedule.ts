import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentRow } from './payment-answer.ts'

const [minute, hour, day] = [60, 3_600, 86_400]

/** After this time without a final answer the order ends, and the applicant can use another method. */
export const giveUpAfterSeconds = day

/** How long after the order the reconciler queries its status for the first time. */
export const firstQueryAfterSeconds = 15

/** Times after the order: every 15 s for five minutes, then at 6, 11 and 26 minutes, then hourly for a day (D42). */
const openQuerySeconds = [
  ...Array.from({ length: 20 }, (_, index) => (index + 1) * firstQueryAfterSeconds),
  6 * minute,
  11 * minute,
  26 * minute,
  ...Array.from({ length: 24 }, (_, index) => (index + 1) * hour),
]

/** Times of the status queries after an order has failed: some operators take the money late. */
const failedQuerySeconds = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day]

/** Returns the seconds until the reconciler's next status query; undefined when there is none. */
export function nextQuerySeconds(
  payment: Pick<PaymentRow, 'status' | 'given_up_at'>,
  { sinceOrderSeconds, sinceEndSeconds }: Pick<Ages, 'sinceOrderSeconds' | 'sinceEndSeconds'>,
): number | undefined {
  if (payment.status === 'SUCCESS') return undefined
  // The order, or its end, is from a clock that was ahead: the schedule begins when that time has come.
  if (Math.min(sinceOrderSeconds, sinceEndSeconds) < 0) return minute
  // After the last of these times the reconciler (reconcile.ts) ends the order. If it could not, it tries again in a minute.
  if (payment.status === 'IN_PROGRESS') return secondsUntilNext(openQuerySeconds, sinceOrderSeconds) ?? minute
  // After a day without a final answer the server queries the status daily for a week, to find a late success.
  if (payment.given_up_at !== null) return sinceOrderSeconds < 8 * day ? day : undefined
  return secondsUntilNext(failedQuerySeconds, sinceEndSeconds)
}

/**
 * `sinceSentSeconds`: since the order was last sent to its provider, or since it was made if it was never sent.
 * `sinceEndSeconds`: 0 while it is open.
 */
export type Ages = { sinceOrderSeconds: number; sinceSentSeconds: number; sinceEndSeconds: number }

/**
 * Reads the ages by the database's clock, which also wrote the times.
 *
 * @throws when there is no payment with this id
 */
export async function readAges(db: Kysely<Schema>, paymentId: string): Promise<Ages> {
  return db
    .selectFrom('payment')
    .select([
      sql<number>`extract(epoch from now() - created_at)::float8`.as('sinceOrderSeconds'),
      sql<number>`extract(epoch from now() - coalesce(sent_at, created_at))::float8`.as('sinceSentSeconds'),
      sql<number>`coalesce(extract(epoch from now() - settled_at), 0)::float8`.as('sinceEndSeconds'),
    ])
    .where('id', '=', paymentId)
    .executeTakeFirstOrThrow()
}

/** Skips a time that is at most 1 s ahead: the query that the server sends now takes its place. */
function secondsUntilNext(querySeconds: readonly number[], ageSeconds: number): number | undefined {
  const next = querySeconds.find(time => time > ageSeconds + 1)
  return next === undefined ? undefined : next - ageSeconds
}
