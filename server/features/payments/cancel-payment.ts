import type { AnswerInput } from '#contract/endpoints.ts'
import type { CancelObstacle, CancelRefusal } from '#contract/payment.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import type { PaymentProviders, ProviderStatus } from '#server/integrations/payment-provider.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { cancelObstacle, type QueriedStatus } from './cancel-rule.ts'
import { findOwnPayment } from './own-payment.ts'
import { payerSteps } from './payer-steps.ts'
import { orderOf, paymentAnswer, type PaymentRow } from './payment-answer.ts'
import { applyStatus, maxSendSeconds, requestSafely } from './provider-calls.ts'
import {
  countCancellation,
  isCodeWithProvider,
  lockApplicationById,
  lockPaymentRow,
  recordCancellation,
} from './record-outcome.ts'
import { giveUpAfterSeconds, readAges } from './status-schedule.ts'
import { within } from './within.ts'

type CancelRequest = { caller: Caller; id: string }
type CancelAnswer = AnswerInput<'cancelPayment'> | Refusal

/**
 * Cancels an open order of the applicant that can take no money (D47), so that another method can be used. Returns the
 * payment as it is after the call: an order that has ended, also by the status query of this call, keeps its outcome.
 * Refuses when the order may still take money. A late success of a canceled order is still found (F1).
 */
export async function cancelPayment(
  services: Services,
  providers: PaymentProviders,
  { caller, id }: CancelRequest,
): Promise<CancelAnswer> {
  const own = await findOwnPayment(services.db, caller, id)
  if (!own) return refuse('not-found')
  const { application, payment } = own
  if (payment.status !== 'IN_PROGRESS') return { data: paymentAnswer(services, payment) }
  const status = await queryBeforeCancel(services, providers, payment)
  const current = status.kind === 'unsent' ? payment : await applyStatus(services, payment, status)
  if (current.status !== 'IN_PROGRESS') return { data: paymentAnswer(services, current) }
  const result = await cancelUnderLock(services, { payment: current, queried: status.kind })
  return 'obstacle' in result
    ? refuseCancel(services, { application, ...result })
    : { data: paymentAnswer(services, result.payment) }
}

/**
 * Queries the status before the transaction begins: no transaction waits for a provider. A provider that hangs counts
 * as without an answer after `maxQueryMs`. The portal waits at most 30 s: a later answer could not tell the payer why
 * the order stays open, and until when.
 */
async function queryBeforeCancel(
  services: Services,
  providers: PaymentProviders,
  payment: PaymentRow,
): Promise<ProviderStatus | { kind: 'unsent' }> {
  if (payment.sent_at === null) return { kind: 'unsent' }
  const provider = providers[payment.method]
  if (!provider) return { kind: 'unknown' }
  const status = requestSafely(services, payment, () => provider.queryStatus(orderOf(services, payment)))
  return (await within(maxQueryMs, status)) ?? { kind: 'unknown' }
}

/** Long enough that a provider which is only slow can still answer that the order can be canceled. */
const maxQueryMs = 12_000

type CancelResult =
  | { payment: PaymentRow; isCanceledNow: boolean }
  | { payment: PaymentRow; obstacle: CancelObstacle }

/**
 * Decides under the lock of the application, with the row as it is now: after the provider's answer, another tab may have
 * sent the order, or its code.
 */
async function cancelUnderLock(
  services: Services,
  { payment, queried }: { payment: PaymentRow; queried: QueriedStatus },
): Promise<CancelResult> {
  const result = await services.db.transaction().execute<CancelResult>(async trx => {
    await lockApplicationById(trx, payment.application_id)
    const current = await lockPaymentRow(trx, payment.id)
    if (current.status !== 'IN_PROGRESS') return { payment: current, isCanceledNow: false }
    if (current.sent_at?.getTime() !== payment.sent_at?.getTime())
      return { payment: current, obstacle: 'just-sent' }
    const lacksValidCode = current.need_otp && !(await isCodeWithProvider(trx, payment.id))
    const { sinceSentSeconds } = await readAges(trx, payment.id)
    const isSendOver = sinceSentSeconds >= maxSendSeconds(services)
    const obstacle = cancelObstacle(queried, { method: current.method, isSendOver, lacksValidCode })
    if (obstacle) return { payment: current, obstacle }
    const canceled = await recordCancellation(trx, current)
    return { payment: canceled ?? current, isCanceledNow: canceled !== undefined }
  })
  if ('isCanceledNow' in result && result.isCanceledNow) countCancellation(result.payment)
  return result
}

function refuseCancel(
  services: Services,
  {
    application,
    payment,
    obstacle,
  }: { application: ApplicationRow; payment: PaymentRow; obstacle: CancelObstacle },
): Refusal {
  const data = waitOf(services, payment, obstacle)
  const message = translateTo(application.language)(`payment.notCancelable.${obstacle}`)
  return refuse('payment-not-cancelable', { message, data })
}

/** Why an open order still blocks other methods, when another try may succeed, and when the order stops blocking. */
export function waitOf(services: Services, payment: PaymentRow, why: CancelObstacle): CancelRefusal {
  return {
    why,
    tryAgainAt: tryAgainAt(services, payment, why).toISOString(),
    until: addSeconds(payment.created_at, giveUpAfterSeconds).toISOString(),
  }
}

/**
 * When another try may succeed. After `just-sent`: when no request that sends the order can still be running.
 * Otherwise: when the operator's request on the phone, or the card page, has expired, and after that when the server
 * queries the provider again.
 */
function tryAgainAt(services: Services, payment: PaymentRow, obstacle: CancelObstacle): Date {
  if (obstacle === 'just-sent')
    return addSeconds(payment.sent_at ?? payment.created_at, maxSendSeconds(services))
  const now = services.clock.now()
  const expiry = addSeconds(payment.created_at, payerSteps[payment.method].timeoutMs / 1_000)
  const next = payment.ask_at ?? addSeconds(now, 60)
  return expiry > now ? expiry : next
}

function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1_000)
}
