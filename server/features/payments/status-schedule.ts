import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentRow } from './payment-answer.ts'

const [minute, hour, day] = [60, 3_600, 86_400]

/** An order whose provider has not answered in this time is given up: it blocks no other method any longer. */
export const giveUpAfterSeconds = day

/** The first question, seconds after the order. */
export const firstAskAfterSeconds = 15

/** Every 15 s for five minutes, then after 1, 5 and 15 minutes more, then hourly for a day (D42). */
const openAskSeconds = [
  ...Array.from({ length: 20 }, (_, index) => (index + 1) * firstAskAfterSeconds),
  6 * minute,
  11 * minute,
  26 * minute,
  ...Array.from({ length: 24 }, (_, index) => (index + 1) * hour),
]

/** What failed is asked about again after this time: some operators take the money late. */
const failedAskSeconds = [minute, 5 * minute, 15 * minute, hour, 6 * hour, day]

/** Seconds until the next question; undefined when there is none. `age` counts from the order, `settled` from its end. */
export function nextAskSeconds(
  payment: Pick<PaymentRow, 'status' | 'given_up_at'>,
  { age, settled }: Pick<Ages, 'age' | 'settled'>,
): number | undefined {
  if (payment.status === 'SUCCESS') return undefined
  if (payment.status === 'IN_PROGRESS') return secondsUntilNext(openAskSeconds, age) ?? minute
  // Given up: daily for a week, so that a late success is found.
  if (payment.given_up_at !== null) return age < 8 * day ? day : undefined
  return secondsUntilNext(failedAskSeconds, settled)
}

/** Since the order, since it was last handed to its provider (its own age if it never was), since its end. */
export type Ages = { age: number; sent: number; settled: number }

/** By the database's clock, which wrote the times; seconds. */
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

/** A moment that is almost there counts as past: the question is being put now. */
function secondsUntilNext(moments: readonly number[], age: number): number | undefined {
  const next = moments.find(moment => moment > age + 1)
  return next === undefined ? undefined : next - age
}
