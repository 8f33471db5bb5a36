import type { AnswerInput } from '#contract/endpoints.ts'
import type { MethodType } from '#contract/payment.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { type ApplicationRow, findOwnApplication } from '#server/features/applications/own-application.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type {
  GatewayForm,
  Payer,
  PaymentProvider,
  PaymentProviders,
} from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { applyStatus, endUnsent, requestSafely, startAtProvider } from './provider-calls.ts'
import { type OpenedOrder, openOrder, adoptWhitelistedPayment, type OrderRequest } from './open-order.ts'
import { type PaymentRefusal } from './order-rule.ts'
import { orderOf, paymentAnswer, type PaymentRow } from './payment-answer.ts'
import { recordOutcome } from './record-outcome.ts'

type PaymentAnswer = AnswerInput<'startMobilePayment'>
type PaymentStartRequest = {
  caller: Caller
  applicationId: string
  method: MethodType
  phone?: string
  payer?: Payer
  /**
   * The error in the payer's own data, if there is one. `order-not-created`: the phone number is too short, or has no
   * digit.
   */
  fault?: 'order-not-created' | 'payer-name-invalid' | undefined
}

/** Stores the order, then sends it to its provider. A second press on Pay returns the open order (D42). */
export async function startPayment(
  services: Services,
  providers: PaymentProviders,
  start: PaymentStartRequest,
): Promise<PaymentAnswer | Refusal> {
  const application = await findOwnApplication(services.db, start.caller, start.applicationId)
  if (!application) return refuse('not-found')
  if (start.fault) return refuseWith(application, start.fault)
  const outcome = await orderAndStart(services, providers, { ...start, application })
  if ('refused' in outcome) return outcome
  const { payment, isNew } = outcome
  return { data: { ...paymentAnswer(services, payment), ...(isNew ? {} : { isExisting: true }) } }
}

export type StartedOrder = {
  payment: PaymentRow
  /** False when the payment existed before this call. */
  isNew: boolean
  form: GatewayForm | undefined
  /** When this call sent the order; null when it has sent none. */
  sentAt: Date | null
}

/** Opens an order for any method and sends it to its provider, or returns the existing payment. */
export async function orderAndStart(
  services: Services,
  providers: PaymentProviders,
  { application, ...start }: PaymentStartRequest & { application: ApplicationRow },
): Promise<StartedOrder | Refusal> {
  const provider = providers[start.method]
  if (!provider) return refuseForReason(application, 'methodUnavailable')
  const channel = provider.channelOf ? provider.channelOf(start.phone ?? '', start.payer) : ''
  // The portal offers only the wallets of the provider, so only a client other than the portal can name another wallet.
  if (channel === undefined)
    return refuse('invalid', { errors: [{ field: 'paymentMethod', message: 'not-in-list' }] })
  const opened = await openReplacingUnused(
    services,
    providers,
    orderRequestOf(provider, { ...start, channel }),
  )
  if (!('payment' in opened)) return refuseOpened(application, opened)
  if (opened.kind === 'existing')
    return { payment: opened.payment, isNew: false, form: undefined, sentAt: null }
  const { language } = application
  const starting = { provider, payment: opened.payment, language, payer: start.payer }
  const started = await startAtProvider(services, starting)
  return started.kind === 'refused' ? refuseWith(application, started.problem) : { ...started, isNew: true }
}

function orderRequestOf(
  provider: PaymentProvider,
  {
    caller,
    applicationId,
    method,
    phone = '',
    channel,
  }: Omit<PaymentStartRequest, 'fault' | 'payer'> & { channel: string },
): OrderRequest {
  return {
    caller,
    applicationId,
    method,
    phone,
    channel,
    hasNoOperator: provider.hasNoOperator === true,
  }
}

/**
 * Opens an order. Replaces an open order that was never sent, once no request can still send it. Replaces an open card
 * order when the payer now uses another method, and the gateway says that the card order failed, that it has never seen
 * the order, or that the payer has not sent the form yet.
 */
async function openReplacingUnused(
  services: Services,
  providers: PaymentProviders,
  request: OrderRequest,
): Promise<OpenedOrder> {
  const opened = await openOrder(services, request)
  if (opened.kind !== 'existing' || opened.payment.status !== 'IN_PROGRESS') return opened
  const { payment } = opened
  const current =
    payment.sent_at === null
      ? await endUnsent(services, payment)
      : await endAbandonedCard(services, { provider: providers[payment.method], payment, request })
  return current.status === 'ERROR' ? openOrder(services, request) : { kind: 'existing', payment: current }
}

async function endAbandonedCard(
  services: Services,
  abandoned: { provider: PaymentProvider | undefined; payment: PaymentRow; request: OrderRequest },
): Promise<PaymentRow> {
  const { provider, payment, request } = abandoned
  if (!provider?.isCard || payment.method === request.method) return payment
  const queryStatus = () => provider.queryStatus(orderOf(services, payment))
  const status = await requestSafely(services, payment, queryStatus)
  return status.kind === 'missing'
    ? recordOutcome(services.db, payment, { status: 'ERROR', reason: 'left', ifSentAt: payment.sent_at })
    : applyStatus(services, payment, status)
}

/** Accepts a payment of the old system (PAY31, S11). Only the server decides whether the applicant has one. */
export async function startWhitelist(
  services: Services,
  { caller, applicationId }: Pick<PaymentStartRequest, 'caller' | 'applicationId'>,
): Promise<PaymentAnswer | Refusal> {
  const application = await findOwnApplication(services.db, caller, applicationId)
  if (!application) return refuse('not-found')
  const opened = await adoptWhitelistedPayment(services, { caller, applicationId: application.id })
  return answerOf(services, application, opened)
}

function answerOf(
  services: Services,
  application: ApplicationRow,
  opened: OpenedOrder,
): PaymentAnswer | Refusal {
  if (!('payment' in opened)) return refuseOpened(application, opened)
  return { data: paymentAnswer(services, opened.payment) }
}

function refuseOpened(
  application: ApplicationRow,
  opened: Exclude<OpenedOrder, { payment: PaymentRow }>,
): Refusal {
  if (opened.kind === 'refused') return refuseForReason(application, opened.why)
  if (opened.kind === 'too-soon') return refuseTooSoon(application, opened.seconds)
  const isOfNumber = opened.kind === 'too-many-for-number'
  return refuseWith(application, isOfNumber ? 'payment-number-attempts' : 'payment-attempts')
}

const problemOf = {
  methodUnavailable: 'method-unavailable',
  notWhitelisted: 'method-unavailable',
  dataNotConfirmed: 'wrong-state',
  notPayable: 'wrong-state',
  payerCodeNotAwaited: 'wrong-state',
} as const satisfies Record<PaymentRefusal, ProblemCode>

/** Refuses with the text of the reason, in the application's language, because these calls name no language. */
export function refuseForReason({ language }: ApplicationRow, why: PaymentRefusal): Refusal {
  return refuse(problemOf[why], { message: translateTo(language)(`payment.${why}`) })
}

/** The order was not created; the text says when it can be repeated. */
function refuseTooSoon({ language }: ApplicationRow, seconds: number): Refusal {
  const message = translateTo(language)('payment.tooSoon', { seconds })
  return refuse('payment-too-soon', { message, data: { seconds } })
}

/** Refuses with the text of the problem, in the application's language. */
export function refuseWith({ language }: ApplicationRow, problem: ProblemCode, data?: object): Refusal {
  const message = translateTo(language)(`problem.${problem}`)
  return refuse(problem, data ? { message, data } : { message })
}
