import { sql, type Transaction } from 'kysely'
import type { MethodType, PaymentStatus } from '#contract/payment.ts'
import type { ApplicationState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import { type AttachFault, judgeProven } from './proven-payment-rule.ts'
import { appendEvent, applyPayment, applySuccess, lockApplicationById } from './record-outcome.ts'

/** A successful payment of a provider's statement. */
export type PaidOrder = {
  orderId: string
  method: MethodType
  amount: number
  currency: string
  /** The provider's reference; '' when the statement has none. */
  reference: string
}

/** `isDueBack`: the application needs no payment, because it is paid already or was deleted. */
type Attached =
  | { kind: 'attached'; isDueBack: boolean }
  | { kind: 'already' }
  | { kind: 'fault'; why: AttachFault }

type AttachRequest = {
  order: PaidOrder
  /** The caller has locked it. */
  application: { id: string; state: ApplicationState }
  fee: { amount: number; currency: string }
}

/**
 * Records, as the payment of an application, a payment that its provider's statement proves (D108). An order that a
 * restore has lost gets its row again. To attach a payment twice changes nothing.
 */
export async function attachPayment(
  trx: Transaction<Schema>,
  { order, application, fee }: AttachRequest,
): Promise<Attached> {
  await lockOrder(trx, order)
  const known = await findPayment(trx, order.orderId)
  const judged = judgeProven({
    paid: order,
    known,
    isPast: (await readPastStatus(trx, order.orderId)) !== undefined,
    isUnknownPayment: await isUnknownPayment(trx, order.orderId),
    application,
    fee,
  })
  if (judged === 'already') return { kind: 'already' }
  if (judged !== 'attach') return { kind: 'fault', why: judged }
  const payment = known ?? (await insertPaid(trx, order, application.id))
  await appendEvent(trx, payment.id, { kind: 'attached', detail: { reference: order.reference } })
  const applied =
    known === undefined
      ? await applyPayment(trx, { application: await lockApplicationById(trx, application.id), payment })
      : await applySuccess(trx, payment)
  return { kind: 'attached', isDueBack: applied.refund_due }
}

/**
 * One command must not attach an order without a row here while another command records it as due for a refund: both together
 * would give the money twice.
 */
async function lockOrder(trx: Transaction<Schema>, { orderId }: PaidOrder): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`paid order ${orderId}`}, 0))`.execute(trx)
}

/** The status of an order whose application is erased (D112, D113); undefined when there is no such order. */
async function readPastStatus(trx: Transaction<Schema>, orderId: string): Promise<PaymentStatus | undefined> {
  const past = await trx
    .selectFrom('past_order')
    .select('status')
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return past?.status
}

export type RefundFault = 'known'

/** Records that a payment without a row here is due for a refund (D108). A second call changes nothing. */
export async function recordPaymentToRefund(
  trx: Transaction<Schema>,
  order: PaidOrder,
): Promise<{ kind: 'recorded' } | { kind: 'already' } | { kind: 'fault'; why: RefundFault }> {
  await lockOrder(trx, order)
  const isKnown =
    (await findPayment(trx, order.orderId)) !== undefined ||
    (await readPastStatus(trx, order.orderId)) === 'SUCCESS'
  if (isKnown) return { kind: 'fault', why: 'known' }
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('unknown_payment')
    .values({
      order_id: order.orderId,
      method: order.method,
      amount: order.amount,
      currency: order.currency,
      provider_reference: order.reference,
    })
    .onConflict(conflict => conflict.column('order_id').doNothing())
    .executeTakeFirst()
  return { kind: numInsertedOrUpdatedRows === 0n ? 'already' : 'recorded' }
}

function findPayment(trx: Transaction<Schema>, orderId: string): Promise<PaymentRow | undefined> {
  return trx
    .selectFrom('payment')
    .select(paymentColumns)
    .where('order_id', '=', orderId)
    .forUpdate()
    .executeTakeFirst()
}

/** Whether `recordPaymentToRefund()` has recorded the payment of this order. */
async function isUnknownPayment(trx: Transaction<Schema>, orderId: string): Promise<boolean> {
  const recorded = await trx
    .selectFrom('unknown_payment')
    .select('order_id')
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return recorded !== undefined
}

async function insertPaid(
  trx: Transaction<Schema>,
  order: PaidOrder,
  applicationId: string,
): Promise<PaymentRow> {
  const payment = await trx
    .insertInto('payment')
    .values({
      application_id: applicationId,
      order_id: order.orderId,
      method: order.method,
      status: 'SUCCESS',
      amount: order.amount,
      currency: order.currency,
      provider_reference: order.reference || null,
      settled_at: sql<Date>`now()`,
    })
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
  const detail = { method: order.method, amount: order.amount, currency: order.currency }
  await appendEvent(trx, payment.id, { kind: 'ordered', detail })
  await appendEvent(trx, payment.id, { kind: 'SUCCESS', detail: {} })
  return payment
}
