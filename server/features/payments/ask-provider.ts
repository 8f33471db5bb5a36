import type { ProblemCode } from '#contract/problems.ts'
import type { Payer, PaymentProvider, ProviderStatus } from '#server/outside/payment-provider.ts'
import type { Services } from '#server/services.ts'
import { orderOf, type PaymentRow } from './payment-answer.ts'
import { appendEvent, settle } from './settle.ts'

type Asking = { provider: PaymentProvider; payment: PaymentRow }
export type Started = { kind: 'payment'; payment: PaymentRow } | { kind: 'refused'; problem: ProblemCode }

/** Hands a stored order to its provider. Without a clear answer the order stays open and is asked about. */
export async function startAtProvider(
  services: Services,
  { provider, payment }: Asking,
  payer?: Payer,
): Promise<Started> {
  const start = () => provider.start(orderOf(payment), payer)
  const outcome = await askSafely(services, payment, start)
  if (outcome.kind === 'refused') {
    await settle(services.db, payment, { status: 'ERROR', reason: outcome.problem })
    return outcome
  }
  const { reference, needCode } =
    outcome.kind === 'accepted' ? outcome : { reference: undefined, needCode: false }
  await appendEvent(services.db, payment.id, { kind: outcome.kind, detail: { reference: reference ?? null } })
  const taken = await services.db
    .updateTable('payment')
    .set({ provider_reference: reference ?? null, need_otp: needCode })
    .where('id', '=', payment.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { kind: 'payment', payment: taken }
}

/** Asks how a payment stands and writes down what is certain; a payment that has ended is left alone. */
export async function refreshPayment(services: Services, { provider, payment }: Asking): Promise<PaymentRow> {
  if (payment.status !== 'IN_PROGRESS') return payment
  const status = await askSafely(services, payment, () => provider.status(orderOf(payment)))
  return applyStatus(services, payment, status)
}

/** Also for a provider's call-back once its status was asked for: a late success wins over an earlier ERROR. */
export async function applyStatus(
  { db, logger }: Services,
  payment: PaymentRow,
  status: ProviderStatus,
): Promise<PaymentRow> {
  if (status.kind === 'failed') return settle(db, payment, { status: 'ERROR', reason: status.reason })
  if (status.kind !== 'success') return payment
  if (isSameOrder(payment, status)) return settle(db, payment, { status: 'SUCCESS' })
  const { orderId, amount, currency } = status
  await appendEvent(db, payment.id, { kind: 'mismatch', detail: { orderId, amount, currency } })
  logger.error({ paymentId: payment.id }, 'A provider reports a success that is not of the order')
  return payment
}

/** No answer from outside is no outcome: it is logged and counts as unknown. */
export async function askSafely<Outcome extends { kind: string }>(
  { logger }: Services,
  payment: PaymentRow,
  ask: () => Promise<Outcome>,
): Promise<Outcome | { kind: 'unknown' }> {
  try {
    return await ask()
  } catch (error) {
    logger.warn({ err: error, paymentId: payment.id }, 'A payment provider did not answer')
    return { kind: 'unknown' }
  }
}

function isSameOrder(
  payment: PaymentRow,
  status: { orderId: string; amount: number; currency: string },
): boolean {
  return (
    status.orderId === payment.order_id &&
    status.amount === payment.amount &&
    status.currency === payment.currency
  )
}
