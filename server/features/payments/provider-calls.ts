import { sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type {
  GatewayForm,
  Payer,
  PaymentProvider,
  ProviderStatus,
} from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { readAges } from './status-schedule.ts'
import { orderOf, type PaymentRow } from './payment-answer.ts'
import { appendEvent, hasEvent, recordOutcome } from './record-outcome.ts'

type ProviderPayment = { provider: PaymentProvider; payment: PaymentRow }
type StartRequest = ProviderPayment & {
  language: Language
  payer: Payer | undefined
  /** A try before this one may have reached the provider, and the payer may hold what it answered. */
  isRepeat?: boolean
}
export type StartResult =
  | { kind: 'payment'; payment: PaymentRow; form: GatewayForm | undefined }
  | { kind: 'refused'; problem: ProblemCode }

/** So long a card page may lie open before it counts as left; seconds. */
const cardPageSeconds = 1_800

/**
 * Hands a stored order to its provider. It is marked as sent before the call and not after: what was not marked was
 * never sent. Without a clear answer the order stays open and is asked about.
 */
export async function startAtProvider(services: Services, starting: StartRequest): Promise<StartResult> {
  const { provider, language } = starting
  const prepared = await prepareOrder(services, starting)
  if (!prepared) return endUnstarted(services, starting.payment, 'unavailable')
  const payment = await markSent(services, prepared)
  // It ended while it was prepared, and another may have been opened since: nobody is to be asked for this one.
  if (!payment) return { kind: 'refused', problem: 'unavailable' }
  const outcome = await askSafely(services, payment, () =>
    provider.start(orderOf(services.config, payment, language), starting.payer),
  )
  if (outcome.kind === 'refused')
    return starting.isRepeat
      ? { kind: 'refused', problem: outcome.problem }
      : endUnstarted(services, payment, outcome.problem, { mayBeThere: provider.isCard })
  const { reference, needCode, form } =
    outcome.kind === 'accepted' ? outcome : { reference: undefined, needCode: false, form: undefined }
  await appendEvent(services.db, payment.id, { kind: outcome.kind, detail: { reference: reference ?? null } })
  const updated = await services.db
    .updateTable('payment')
    .set({ provider_reference: reference ?? payment.provider_reference, need_otp: needCode })
    .where('id', '=', payment.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { kind: 'payment', payment: updated, form }
}

/** Stores what the provider will call the payment before any money can move. */
async function prepareOrder(
  services: Services,
  { provider, payment, language }: StartRequest,
): Promise<PaymentRow | undefined> {
  if (!provider.prepare) return payment
  const ask = provider.prepare.bind(provider, orderOf(services.config, payment, language))
  const outcome = await askSafely(services, payment, ask)
  if (outcome.kind !== 'prepared') return undefined
  return services.db
    .updateTable('payment')
    .set({ provider_reference: outcome.reference })
    .where('id', '=', payment.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Undefined when the order has ended. */
function markSent({ db }: Services, { id }: PaymentRow): Promise<PaymentRow | undefined> {
  return db
    .updateTable('payment')
    .set({ sent_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'IN_PROGRESS')
    .returningAll()
    .executeTakeFirst()
}

/**
 * The provider has no such order: nothing was taken, and nothing need be asked. `mayBeThere`: it may have refused a
 * repeat, while another try brought the payer the form; then a late success is still found.
 */
async function endUnstarted(
  { db }: Services,
  payment: PaymentRow,
  problem: ProblemCode,
  { mayBeThere = false } = {},
): Promise<StartResult> {
  if (!mayBeThere)
    await db.updateTable('payment').set({ sent_at: null }).where('id', '=', payment.id).execute()
  await recordOutcome(db, payment, { status: 'ERROR', reason: problem })
  return { kind: 'refused', problem }
}

/** Asks how a payment stands and writes down what is certain; a payment that has ended is left alone. */
export async function refreshPayment(services: Services, asking: ProviderPayment): Promise<PaymentRow> {
  return asking.payment.status === 'IN_PROGRESS' ? askAbout(services, asking) : asking.payment
}

/** The same for one that has failed: a late success wins. */
export async function askAbout(
  services: Services,
  { provider, payment }: ProviderPayment,
): Promise<PaymentRow> {
  if (payment.sent_at === null) return endUnsent(services, payment)
  const status = await askSafely(services, payment, () => provider.status(orderOf(services.config, payment)))
  if (status.kind !== 'missing') return applyStatus(services, payment, status)
  const { sent } = await readAges(services.db, payment.id)
  return sent >= (provider.isCard ? cardPageSeconds : maxSendSeconds(services))
    ? recordOutcome(services.db, payment, { status: 'ERROR', reason: 'missing' })
    : payment
}

/** Stored and never handed on: the server died in between. */
export async function endUnsent(services: Services, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.status !== 'IN_PROGRESS') return payment
  const { age } = await readAges(services.db, payment.id)
  return age >= maxSendSeconds(services)
    ? recordOutcome(services.db, payment, { status: 'ERROR', reason: 'unsent' })
    : payment
}

/** Seconds: a token, the order, and both anew where the token had ended; then nothing of it can still be on its way. */
function maxSendSeconds({ config }: Services): number {
  return (4 * config.payments.timeoutMs) / 1_000 + 5
}

/** Also for a provider's call-back once its status was asked for: a late success wins over an earlier ERROR. */
export async function applyStatus(
  { db, logger }: Services,
  payment: PaymentRow,
  status: ProviderStatus,
): Promise<PaymentRow> {
  if (status.kind === 'failed') return recordOutcome(db, payment, { status: 'ERROR', reason: status.reason })
  if (status.kind !== 'success') return payment
  const { orderId, amount, currency, operatorReference = '' } = status
  if (isSameOrder(payment, status))
    return recordOutcome(db, payment, { status: 'SUCCESS', operatorReference })
  if (await hasEvent(db, payment.id, 'mismatch')) return payment
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
