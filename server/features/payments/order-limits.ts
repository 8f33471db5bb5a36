import { sql, type Transaction } from 'kysely'
import { randomCharacters } from '#server/crypto/random-characters.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import type { OrderRequest } from './open-order.ts'
import { areTooMany, areTooManyForNumber, cooldownSecondsLeft } from './order-rule.ts'
import { normalisePayerPhone, phoneHashes } from './payer-phone.ts'

/** Whether the application has had as many orders as one may have. The caller has locked the application (D97). */
export async function hasTooManyOrders(trx: Transaction<Schema>, applicationId: string): Promise<boolean> {
  const counts = await trx
    .selectFrom('payment')
    .select([
      sql<number>`(count(*) filter (
        where sent_at is not null and created_at > now() - interval '1 day'))::int`.as('sentOfDay'),
      sql<number>`count(*)::int`.as('all'),
    ])
    .where('application_id', '=', applicationId)
    .executeTakeFirstOrThrow()
  return areTooMany(counts)
}

/** Why an order for a number is refused now. */
export type NumberRefusal =
  | { kind: 'too-many-for-number' }
  /** The operator would refuse the order: it had an order for the same number and amount less than a minute ago. */
  | { kind: 'too-soon'; seconds: number }

/**
 * Why the number that pays can get no order now (D97); undefined when it can get one. Locks the number until the end of the
 * transaction. An order without a number, or of a provider without an operator (`hasNoOperator`), needs neither the limits
 * for one number nor the lock of a number.
 */
export async function findNumberRefusal(
  trx: Transaction<Schema>,
  services: Services,
  request: OrderRequest,
): Promise<NumberRefusal | undefined> {
  const { phone, hasNoOperator } = request
  if (phone === '' || hasNoOperator) return undefined
  // Two applications can pay with one number at once, and each holds only its own lock, so the number has a lock too.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payer ${normalisePayerPhone(phone)}`}, 0))`.execute(
    trx,
  )
  if (await hasTooManyForNumber(trx, services, request)) return { kind: 'too-many-for-number' }
  const seconds = await readCooldownSeconds(trx, services, phone)
  return seconds > 0 ? { kind: 'too-soon', seconds } : undefined
}

/**
 * Paid orders do not count, so an agent can pay for many families. This limit never stops the account that has proven
 * the number as its own contact, and does not count its orders, so that strangers cannot keep the owner of a number
 * from paying.
 */
async function hasTooManyForNumber(
  trx: Transaction<Schema>,
  services: Services,
  { phone, caller }: OrderRequest,
): Promise<boolean> {
  const owner = await trx
    .selectFrom('contact')
    .select('applicant_id')
    .where('kind', '=', 'phone')
    .where(columnIsContact('value', normalisePayerPhone(phone)))
    .executeTakeFirst()
  if (owner?.applicant_id === caller.applicantId) return false
  const counts = await triesOfNumber(trx, services, phone)
    .innerJoin('application', 'application.id', 'payment.application_id')
    .select([
      sql<number>`(count(*) filter (where ${mayBeKnown}))::int`.as('unpaid'),
      sql<number>`count(*)::int`.as('tried'),
    ])
    .where('payment.created_at', '>', sql<Date>`now() - interval '1 day'`)
    .where('payment.status', '<>', 'SUCCESS')
    .where('application.applicant_id', 'is distinct from', owner?.applicant_id ?? null)
    .executeTakeFirstOrThrow()
  return areTooManyForNumber(counts)
}

/**
 * Returns the seconds until the operator would accept another order. Ten minutes limit the rows to read: an order is
 * stored shortly before the provider gets it. Ignores an order whose time is more than a minute in the future: the clock of
 * the database was ahead when it was stored (D95).
 */
async function readCooldownSeconds(
  trx: Transaction<Schema>,
  services: Services,
  phone: string,
): Promise<number> {
  const last = await triesOfNumber(trx, services, phone)
    .select(
      sql<number | null>`extract(epoch from now() - max(coalesce(sent_at, created_at)))::float8`.as('age'),
    )
    .where(mayBeKnown)
    .where('amount', '=', services.config.feeAmount)
    .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`)
    .where(sql<boolean>`coalesce(sent_at, created_at) <= now() + interval '1 minute'`)
    .executeTakeFirst()
  return cooldownSecondsLeft(last?.age ?? null)
}

/**
 * SQL: whether a provider knows an order or may get it soon; an order that the provider refused immediately has ended
 * without `sent_at`.
 */
const mayBeKnown = sql<boolean>`(payment.sent_at is not null or payment.status = 'IN_PROGRESS')`

/** The orders of all applications for one number, also those that the provider refused immediately. */
function triesOfNumber(trx: Transaction<Schema>, { secrets }: Services, phone: string) {
  return (
    trx
      .selectFrom('payment')
      // An order that is older than the encryption has no hash (D71).
      .where(order =>
        order.or([order('phone_hash', 'in', phoneHashes({ secrets }, phone)), order('phone', '=', phone)]),
      )
  )
}

/**
 * Returns a new order number, for example `PO-2026-000012-7K3M9QXT`. Its random part cannot be guessed, and does not
 * come again when a restored backup counts from an earlier number (D97).
 */
export async function nextOrderNumber(trx: Transaction<Schema>, year: string): Promise<string> {
  const { rows } = await sql<{ next: string }>`
    select to_char(nextval('payment_order_seq'), 'FM999999999000000') as next`.execute(trx)
  return `PO-${year}-${rows[0]?.next}-${randomCharacters(8)}`
}
