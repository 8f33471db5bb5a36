import { sql, type Transaction } from 'kysely'
import { toWire } from '#contract/application.ts'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { MethodType, PaymentStatus } from '#contract/payment.ts'
import type { Schema } from '#server/database/schema.ts'
import { checkForm } from '#server/features/applications/check-form.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { decryptForm, dropEarlierCompleteForm } from '#server/features/applications/stored-form.ts'
import type { Caller } from '#server/calls/call.ts'
import { paymentOrders, payments } from '#server/calls/event-counts.ts'
import type { Services } from '#server/calls/services.ts'
import { hasTooManyOrders, nextOrderNumber, type NumberRefusal, findNumberRefusal } from './order-limits.ts'
import { firstQueryAfterSeconds } from './status-schedule.ts'
import { notPayableReason, type PaymentRefusal } from './order-rule.ts'
import { storedPhone } from './payer-phone.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import { appendEvent, applyPayment, lockApplicationById } from './record-outcome.ts'
import { useWhitelist } from './whitelist.ts'

export type OpenedOrder =
  | { kind: 'new'; payment: PaymentRow }
  /** The application already has a successful payment, or an open one that prevents this order. */
  | { kind: 'existing'; payment: PaymentRow }
  | { kind: 'refused'; why: PaymentRefusal }
  /** The application has had as many orders as one may have. */
  | { kind: 'too-many' }
  | NumberRefusal

export type OrderRequest = {
  caller: Caller
  applicationId: string
  method: MethodType
  phone: string
  /** The wallet or gateway that handles the order, for example `Orange Money`; '' when the provider names none. */
  channel: string
  /**
   * True when the provider has no operator, as the demo's: no order asks a payer for money, and none is refused as repeated. So
   * the limits for one telephone number do not apply.
   */
  hasNoOperator: boolean
}

/**
 * Stores an order, and commits it before the caller sends the order to a provider. An application has at most one open
 * order (D42).
 */
export async function openOrder(services: Services, request: OrderRequest): Promise<OpenedOrder> {
  const opened = await storeOrder(services, request)
  if (opened.kind === 'new') paymentOrders.inc({ method: request.method })
  return opened
}

function storeOrder(services: Services, request: OrderRequest): Promise<OpenedOrder> {
  return services.db.transaction().execute(async trx => {
    const application = await lockApplicationById(trx, request.applicationId)
    const existing = await findExisting(trx, application.id)
    if (existing) return { kind: 'existing', payment: existing }
    const why = whyNotPayable(services, application, request.caller)
    if (why) return { kind: 'refused', why }
    if (await hasTooManyOrders(trx, application.id)) return { kind: 'too-many' }
    const refusal = await findNumberRefusal(trx, services, request)
    if (refusal) return refusal
    const payment = await insertOrder(trx, services, { ...request, status: 'IN_PROGRESS' })
    return { kind: 'new', payment }
  })
}

/**
 * Stores a payment that the applicant made in the old system, as successful: there is no provider to query. An open order
 * does not prevent this; its late success is then due for refund.
 */
export async function adoptWhitelistedPayment(
  services: Services,
  request: Pick<OrderRequest, 'caller' | 'applicationId'>,
): Promise<OpenedOrder> {
  const adopted = await storeWhitelistedPayment(services, request)
  if (adopted.kind === 'new') payments.inc({ method: 'WHITELIST', outcome: 'success' })
  return adopted
}

function storeWhitelistedPayment(
  services: Services,
  request: Pick<OrderRequest, 'caller' | 'applicationId'>,
): Promise<OpenedOrder> {
  return services.db.transaction().execute(async trx => {
    const application = await lockApplicationById(trx, request.applicationId)
    const existing = await findExisting(trx, application.id)
    if (existing?.status === 'SUCCESS') return { kind: 'existing', payment: existing }
    const why = whyNotPayable(services, application, request.caller)
    if (why) return { kind: 'refused', why }
    if (!(await useWhitelist(trx, services, request.caller)))
      return { kind: 'refused', why: 'notWhitelisted' }
    const order = { ...request, method: 'WHITELIST', phone: '', channel: '', status: 'SUCCESS' } as const
    const payment = await insertOrder(trx, services, order)
    return { kind: 'new', payment: await applyPayment(trx, { application, payment }) }
  })
}

/** Returns the application's successful payment, else its open one. Prefers a payment that is not to be refunded. */
function findExisting(trx: Transaction<Schema>, applicationId: string): Promise<PaymentRow | undefined> {
  return trx
    .selectFrom('payment')
    .select(paymentColumns)
    .where('application_id', '=', applicationId)
    .where('status', 'in', ['SUCCESS', 'IN_PROGRESS'])
    .orderBy(sql`status = 'SUCCESS'`, 'desc')
    .orderBy('refund_due')
    .orderBy('created_at', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
}

function whyNotPayable(
  services: Services,
  application: ApplicationRow,
  caller: Caller,
): PaymentRefusal | undefined {
  return notPayableReason(application, () => {
    const today = dayIn(homeTimeZone, services.clock.now())
    return checkForm(toWire(decryptForm(services, application)), { caller, today }).kind !== 'faults'
  })
}

type NewOrder = Pick<OrderRequest, 'applicationId' | 'method' | 'phone' | 'channel'> & {
  status: PaymentStatus
}

async function insertOrder(
  trx: Transaction<Schema>,
  { clock, config, secrets }: Services,
  { applicationId, method, phone, channel, status }: NewOrder,
): Promise<PaymentRow> {
  // The form was found complete under this lock, and the payment is for its answers: no earlier complete form is needed.
  await dropEarlierCompleteForm(trx, applicationId)
  const orderId = await nextOrderNumber(trx, dayIn(homeTimeZone, clock.now()).slice(0, 4))
  const payment = await trx
    .insertInto('payment')
    .values({
      application_id: applicationId,
      order_id: orderId,
      method,
      status,
      amount: config.feeAmount,
      currency: config.feeCurrency,
      ...(await storedPhone({ db: trx, secrets }, orderId, phone)),
      channel,
      settled_at: status === 'IN_PROGRESS' ? null : sql<Date>`now()`,
      ask_at:
        status === 'IN_PROGRESS' ? sql<Date>`now() + make_interval(secs => ${firstQueryAfterSeconds})` : null,
    })
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
  const detail = { method, amount: payment.amount, currency: payment.currency }
  await appendEvent(trx, payment.id, { kind: 'ordered', detail })
  if (status !== 'IN_PROGRESS') await appendEvent(trx, payment.id, { kind: status, detail: {} })
  return payment
}
