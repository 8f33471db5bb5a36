import { sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type {
  GatewayForm,
  Payer,
  PaymentProvider,
  ProviderStatus,
  Unknown,
} from '#server/integrations/payment-provider.ts'
import { gatewayRequests } from '#server/calls/event-counts.ts'
import { traced } from '#server/calls/tracing.ts'
import { waitOutside } from '#server/calls/outside-wait.ts'
import type { Services } from '#server/calls/services.ts'
import { storableReason } from './failure-reason.ts'
import { readAges } from './status-schedule.ts'
import { unpaidApplications } from './payable-orders.ts'
import { orderOf, paymentColumns, type PaymentRow } from './payment-answer.ts'
import { isSameOrder } from './proven-payment-rule.ts'
import { appendEvent, hasEvent, recordOutcome } from './record-outcome.ts'

type ProviderPayment = { provider: PaymentProvider; payment: PaymentRow }
type StartRequest = ProviderPayment & {
  language: Language
  payer: Payer | undefined
  /** An earlier try may have reached the provider, and the payer may have its response. */
  isRepeat?: boolean
}
export type StartResult =
  /** `sentAt`: when this call sent the order. `payment` may have a later time, because another call may have sent it again. */
  | { kind: 'payment'; payment: PaymentRow; form: GatewayForm | undefined; sentAt: Date | null }
  | { kind: 'refused'; problem: ProblemCode }

/** After this time an unused card page counts as abandoned; seconds. */
const cardPageSeconds = 1_800

/**
 * Sends a stored order to its provider. The row gets `sent_at` before the request with which money can move, so for an
 * open order without `sent_at` no provider can take money: the order was never sent, or was refused. Without a clear
 * answer the order stays open, and the reconciler queries its status; but `startCard` ends a new card order without a
 * form.
 */
export async function startAtProvider(services: Services, starting: StartRequest): Promise<StartResult> {
  const { provider, language } = starting
  const prepared = await prepareOrder(services, starting)
  if (!prepared) return refuseStart(services, starting, { problem: 'unavailable' })
  const payment = await markSent(services, prepared)
  // The order ended while it was prepared, and the applicant may have opened another one; or another order has paid. The payer
  // must not pay this one. An open order without `sent_at` ends later (`endUnsent`).
  if (!payment) return { kind: 'refused', problem: 'unavailable' }
  const outcome = await requestSafely(services, payment, () =>
    provider.start(orderOf(services, payment, language), starting.payer),
  )
  if (outcome.kind === 'refused') return refuseStart(services, { ...starting, payment }, outcome)
  const { reference, needsPayerCode, form } =
    outcome.kind === 'accepted' ? outcome : { reference: undefined, needsPayerCode: false, form: undefined }
  await appendEvent(services.db, payment.id, { kind: outcome.kind, detail: { reference: reference ?? null } })
  const updated = await services.db
    .updateTable('payment')
    .set({ provider_reference: reference ?? payment.provider_reference })
    .where('id', '=', payment.id)
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
  const asked = needsPayerCode ? await askForCode(services.db, updated) : updated
  return { kind: 'payment', payment: asked, form, sentAt: payment.sent_at }
}

/**
 * Stores the provider's reference of the payment before any money can move. Undefined when the provider's `prepare`
 * gives none.
 */
async function prepareOrder(
  services: Services,
  { provider, payment, language }: StartRequest,
): Promise<PaymentRow | undefined> {
  if (!provider.prepare) return payment
  const prepare = provider.prepare.bind(provider, orderOf(services, payment, language))
  const outcome = await requestSafely(services, payment, prepare)
  if (outcome.kind !== 'prepared') return undefined
  return services.db
    .updateTable('payment')
    .set({ provider_reference: outcome.reference })
    .where('id', '=', payment.id)
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
}

/** Sets `sent_at`. Undefined when the order has ended, or its application needs no payment any more. */
function markSent({ db }: Services, { id }: PaymentRow): Promise<PaymentRow | undefined> {
  return db
    .updateTable('payment')
    .set({ sent_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'IN_PROGRESS')
    .where('application_id', 'in', unpaidApplications(db))
    .returning(paymentColumns)
    .executeTakeFirst()
}

/**
 * Ends an order that the provider has refused, or for which it gave no reference in `prepare`: no money was taken. An
 * order without a card loses `sent_at`, because it needs no status query. A card order may be a repeat at the provider:
 * another tab may have sent it before and have its form. So a card order keeps `sent_at`, for the status query that
 * finds a late success, and stays open if the other tab sent it last. The order of a repeated start stays as it is.
 */
async function refuseStart(
  { db }: Services,
  { provider, payment, isRepeat }: StartRequest,
  { problem, failure }: { problem: ProblemCode; failure?: FailureReason },
): Promise<StartResult> {
  if (isRepeat) return { kind: 'refused', problem }
  if (!provider.isCard)
    await db.updateTable('payment').set({ sent_at: null }).where('id', '=', payment.id).execute()
  const outcome = { status: 'ERROR', reason: problem, failure } as const
  await recordOutcome(db, payment, provider.isCard ? { ...outcome, ifSentAt: payment.sent_at } : outcome)
  return { kind: 'refused', problem }
}

/** Queries the status of an open payment and records a final outcome. A payment that has ended stays as it is. */
export async function refreshPayment(services: Services, request: ProviderPayment): Promise<PaymentRow> {
  return request.payment.status === 'IN_PROGRESS' ? queryPaymentStatus(services, request) : request.payment
}

/**
 * Queries the status of a payment that is open or has failed, and records its outcome: a late success wins over a failure.
 * An order that was never sent is not queried (`endUnsent`).
 */
export async function queryPaymentStatus(
  services: Services,
  { provider, payment }: ProviderPayment,
): Promise<PaymentRow> {
  if (payment.sent_at === null) return endUnsent(services, payment)
  const status = await requestSafely(services, payment, () =>
    provider.queryStatus(orderOf(services, payment)),
  )
  if (status.kind !== 'missing') return applyStatus(services, payment, status)
  const { sinceSentSeconds } = await readAges(services.db, payment.id)
  return sinceSentSeconds >= (provider.isCard ? cardPageSeconds : maxSendSeconds(services))
    ? recordOutcome(services.db, payment, { status: 'ERROR', reason: 'missing', ifSentAt: payment.sent_at })
    : payment
}

/**
 * Ends an open order that was stored and never sent, for example because the server stopped in between. Leaves the order
 * unchanged while a request of the server may still send it.
 */
export async function endUnsent(services: Services, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.status !== 'IN_PROGRESS') return payment
  const { sinceOrderSeconds } = await readAges(services.db, payment.id)
  return sinceOrderSeconds >= maxSendSeconds(services)
    ? recordOutcome(services.db, payment, { status: 'ERROR', reason: 'unsent', ifSentAt: null })
    : payment
}

/**
 * Longest time, in seconds, that `start` or `prepare` of a provider can take, plus 5 s: each sends at most four requests,
 * for example token and order, each twice (D76). After that no request for the order is still running.
 */
export function maxSendSeconds({ config }: Services): number {
  return (4 * config.payments.timeoutMs) / 1_000 + 5
}

/**
 * Records the outcome that a provider reports, or that it waits for a code of the payer. A late success wins over an earlier
 * ERROR. A success with another order, amount or currency does not change the payment; it is logged once.
 */
export async function applyStatus(
  { db, logger }: Services,
  payment: PaymentRow,
  status: ProviderStatus,
): Promise<PaymentRow> {
  if (status.kind === 'failed') {
    const { reason, failure } = status
    return recordOutcome(db, payment, { status: 'ERROR', reason: storableReason(reason), failure })
  }
  if (status.kind === 'pending' && status.needsPayerCode) return askForCode(db, payment)
  if (status.kind !== 'success') return payment
  const { orderId, amount, currency, operatorReference = '' } = status
  if (isSameOrder(payment, status))
    return recordOutcome(db, payment, { status: 'SUCCESS', operatorReference })
  if (await hasEvent(db, payment.id, 'mismatch')) return payment
  await appendEvent(db, payment.id, { kind: 'mismatch', detail: { orderId, amount, currency } })
  logger.error(
    { paymentId: payment.id },
    'The provider reports a success with another order, amount or currency. The payment stays unchanged. Check it with the provider.',
  )
  return payment
}

/**
 * Makes the portal ask for the payer's code, unless the order has ended, or the payer has entered a code: then the
 * answer to that code decides. Both are possible when the answer to the order comes late. A status query asks too,
 * because that answer can be lost, for example when the server stops before it comes.
 */
async function askForCode(db: Services['db'], payment: PaymentRow): Promise<PaymentRow> {
  if (payment.need_otp || (await hasEvent(db, payment.id, 'code-sent'))) return payment
  const asking = await db
    .updateTable('payment')
    .set({ need_otp: true })
    .where('id', '=', payment.id)
    .where('status', '=', 'IN_PROGRESS')
    .returning(paymentColumns)
    .executeTakeFirst()
  return asking ?? payment
}

/**
 * Runs a provider request. An error counts as `unknown`, because it says nothing about the payment. Every error and
 * every `unknown` is logged and counted as failed, so that an operator sees a provider that is down, and one whose
 * certificate is not valid. So is a refusal for lack of a valid answer (`noAnswer`).
 */
export async function requestSafely<Outcome extends { kind: string; reason?: string; noAnswer?: string }>(
  { logger }: Services,
  payment: PaymentRow,
  request: () => Promise<Outcome>,
): Promise<Outcome | Unknown> {
  const gateway = payment.channel === '' ? payment.method : payment.channel
  try {
    const outcome = await waitOutside(() =>
      traced({ name: `gateway ${gateway}`, kind: 'client' }, request, hasNoAnswer),
    )
    gatewayRequests.inc({ gateway, outcome: hasNoAnswer(outcome) ? 'failed' : 'answered' })
    if (hasNoAnswer(outcome)) {
      const { id: paymentId, method, channel } = payment
      logger.warn(
        { paymentId, method, channel, reason: outcome.noAnswer ?? outcome.reason ?? 'no valid answer' },
        'A payment provider gave no valid answer. If the order was sent, it stays unchanged, and the server queries its status later. An order that was not sent ends as failed.',
      )
    }
    return outcome
  } catch (error) {
    gatewayRequests.inc({ gateway, outcome: 'failed' })
    logger.warn(
      { err: error, paymentId: payment.id },
      'A request to a payment provider failed. If the order was sent, it stays unchanged, and the server queries its status later. An order that was not sent ends as failed.',
    )
    return { kind: 'unknown' }
  }
}

function hasNoAnswer({ kind, noAnswer }: { kind: string; noAnswer?: string }): boolean {
  return kind === 'unknown' || noAnswer !== undefined
}
