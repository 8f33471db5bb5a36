import { sql, type Transaction } from 'kysely'
import { randomLetters } from '#server/crypto/random-letters.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import type { OrderRequest } from './open-order.ts'
import { oneSpelling, phoneHashes } from './payer-phone.ts'

/** Orders of one application that went to a provider within a day: each may ask somebody's phone for money. */
const maxSentPerDay = 10
/** All orders of one application: its case file and its proof stay short. */
const maxOrders = 100

/** Whether the application has had as many orders as one may have. The caller has locked the application (D97). */
export async function hasTooManyOrders(trx: Transaction<Schema>, applicationId: string): Promise<boolean> {
  const { sent, all } = await trx
    .selectFrom('payment')
    .select([
      sql<number>`(count(*) filter (
        where sent_at is not null and created_at > now() - interval '1 day'))::int`.as('sent'),
      sql<number>`count(*)::int`.as('all'),
    ])
    .where('application_id', '=', applicationId)
    .executeTakeFirstOrThrow()
  return sent >= maxSentPerDay || all >= maxOrders
}

/** Operators refuse a second debit of the same number and amount within this time as a mistake. */
const cooldownSeconds = 60

/**
 * Returns the seconds until the operator would accept another order. The orders of all applications count if a provider
 * knows them or may get them soon; an order that the provider refused at once has ended without `sent_at`. Ten minutes limit
 * the rows to read: an order is stored shortly before the provider gets it.
 */
export async function cooldownSecondsLeft(
  trx: Transaction<Schema>,
  { config, secrets }: Services,
  { phone, skipsCooldown }: OrderRequest,
): Promise<number> {
  if (phone === '' || skipsCooldown) return 0
  // The lock of the application does not order this against another application that pays with the same number.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payer ${oneSpelling(phone)}`}, 0))`.execute(trx)
  const last = await trx
    .selectFrom('payment')
    .select(sql<number>`extract(epoch from now() - max(coalesce(sent_at, created_at)))::float8`.as('age'))
    .where(order =>
      // An order of before the encryption has no hash (D71).
      order.or([order('phone_hash', 'in', phoneHashes({ secrets }, phone)), order('phone', '=', phone)]),
    )
    .where('amount', '=', config.feeAmount)
    .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`)
    .where(order => order.or([order('sent_at', 'is not', null), order('status', '=', 'IN_PROGRESS')]))
    .executeTakeFirst()
  return Math.ceil(Math.max(0, cooldownSeconds - (last?.age ?? cooldownSeconds)))
}

/**
 * Returns a new order number, for example `PO-2026-000012-7K3M9QXT`. Its random part cannot be guessed, and does not come
 * again when a restored backup counts from an earlier number (D97).
 */
export async function nextOrderNumber(trx: Transaction<Schema>, year: string): Promise<string> {
  const { rows } = await sql<{ next: string }>`
    select to_char(nextval('payment_order_seq'), 'FM999999999000000') as next`.execute(trx)
  return `PO-${year}-${rows[0]?.next}-${randomLetters(8)}`
}
