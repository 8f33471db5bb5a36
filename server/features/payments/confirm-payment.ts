import { type Kysely, sql } from 'kysely'
import type { AnswerInput } from '#contract/endpoints.ts'
import { waitInOneUnit } from '#contract/wait-in-one-unit.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { nextState } from '#contract/states.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import type { ApplicationRow } from '#server/features/applications/own-application.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { maxSendSeconds, requestSafely } from './provider-calls.ts'
import { refreshAfterCode } from './refresh-seldom.ts'
import { findOwnPayment } from './own-payment.ts'
import { codeRefusal } from './order-rule.ts'
import { orderOf, paymentAnswer, paymentColumns, type PaymentRow } from './payment-answer.ts'
import { appendEvent, lockApplicationById, lockPaymentRow } from './record-outcome.ts'
import { refuseForReason, refuseWith } from './start-payment.ts'

type ConfirmRequest = { caller: Caller; id: string; code: string }

/** Sends the payer's code to the provider that asked for it (API32). The server never stores the code. */
export async function confirmPayment(
  services: Services,
  providers: PaymentProviders,
  { caller, id, code }: ConfirmRequest,
): Promise<AnswerInput<'confirmPayment'> | Refusal> {
  const own = await findOwnPayment(services.db, caller, id)
  if (!own) return refuse('not-found')
  const { payment, application } = own
  const provider = providers[payment.method]
  if (!isCodeAwaited(payment) || !provider?.confirmCode)
    return refuseForReason(application, 'payerCodeNotAwaited')
  const sending = await recordCodeSent(services, payment)
  if (sending === 'not-awaited') return refuseForReason(application, 'payerCodeNotAwaited')
  if (sending === 'payment-codes') return refuseWith(application, sending)
  if (sending !== 'recorded') return refuseUntilAnswered(application, sending.openSeconds)
  const sendCode = provider.confirmCode.bind(provider, orderOf(services, payment), code)
  const outcome = await requestSafely(services, payment, sendCode)
  // A code without an answer may be with the provider: `isCodeWithProvider` counts it, and the payer may try another one.
  await appendEvent(services.db, payment.id, outcome.kind === 'refused' ? codeRefused : codeRequestEnded)
  const current = outcome.kind === 'accepted' ? await stopAskingForCode(services, payment) : payment
  // Queries the status after a refusal too: the order may have expired at the provider with its code, and must then end.
  const refreshed = await refreshAfterCode(services, { provider, payment: current })
  return outcome.kind === 'refused'
    ? refuseCode(application, outcome.problem)
    : { data: paymentAnswer(services, refreshed) }
}

function isCodeAwaited({ status, need_otp }: PaymentRow): boolean {
  return status === 'IN_PROGRESS' && need_otp
}

const codeRefused = { kind: 'code-refused', detail: {} }
/** The provider has accepted the code, or gave no valid answer; the stored kind says "answered" in both cases. */
const codeRequestEnded = { kind: 'code-answered', detail: {} }

/**
 * Records, before the request, that the provider gets a code. `not-awaited`: the application needs no payment any more,
 * or the order has ended, or awaits no code any more: since the payment was read, the provider may have accepted the
 * code of another request. `openSeconds`: for how long the request with the previous code may still run. The codes are
 * counted under the lock (D96).
 */
function recordCodeSent(
  services: Services,
  payment: PaymentRow,
): Promise<'recorded' | 'not-awaited' | 'payment-codes' | { openSeconds: number }> {
  const { db } = services
  return db.transaction().execute(async trx => {
    // The lock orders this against a cancellation at the same time: the later one sees what the earlier one did (D47).
    const { state } = await lockApplicationById(trx, payment.application_id)
    // For example, another order has paid for the application: the code would take the money a second time.
    if (nextState(state, 'payment-succeeded') === undefined) return 'not-awaited'
    if (!isCodeAwaited(await lockPaymentRow(trx, payment.id))) return 'not-awaited'
    const { sent, openSeconds } = await countCodes(trx, payment.id, maxSendSeconds(services))
    const refused = codeRefusal({ sent, isLastOpen: openSeconds > 0 })
    if (refused) return refused === 'payment-codes' ? refused : { openSeconds }
    await appendEvent(trx, payment.id, { kind: 'code-sent', detail: {} })
    return 'recorded'
  })
}

/**
 * `openSeconds`: for how long the request with the last code may still run, because its end is not stored; 0 when it has ended.
 * `seconds`: how long such a request can take. A code whose time is more than a minute from now was sent while the clock was
 * ahead, and its request counts as ended (D95).
 */
async function countCodes(
  trx: Kysely<Schema>,
  paymentId: string,
  seconds: number,
): Promise<{ sent: number; openSeconds: number }> {
  return trx
    .selectFrom('payment_event')
    .select([
      sql<number>`(count(*) filter (where kind = 'code-sent'))::int`.as('sent'),
      sql<number>`case when (array_agg(kind order by id desc)
          filter (where kind in ('code-sent', 'code-refused', 'code-answered')))[1] = 'code-sent'
          and ${lastSentAt} <= now() + interval '1 minute'
        then greatest(0, ceil(extract(epoch from ${lastSentAt} + make_interval(secs => ${seconds}) - now())))::int
        else 0 end`.as('openSeconds'),
    ])
    .where('payment_id', '=', paymentId)
    .executeTakeFirstOrThrow()
}

const lastSentAt = sql<Date>`(array_agg(at order by id desc) filter (where kind = 'code-sent'))[1]`

/** Names the wait, so that this answer is not stored: a retry with the same key must be able to send the code (D13). */
function refuseUntilAnswered({ language }: ApplicationRow, seconds: number): Refusal {
  const message = translateTo(language)('problem.too-many-requests.wait', waitInOneUnit(seconds))
  return refuse('too-many-requests', { message, data: { seconds } })
}

/**
 * After an accepted code the payer can only wait for the operator's decision. After an unknown outcome the portal still
 * asks for the code, so that the payer may enter it again.
 */
function stopAskingForCode({ db }: Services, { id }: PaymentRow): Promise<PaymentRow> {
  return db
    .updateTable('payment')
    .set({ need_otp: false })
    .where('id', '=', id)
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
}

/** The portal shows the first text of the list (ERR18). */
function refuseCode({ language }: ApplicationRow, problem: ProblemCode): Refusal {
  const message = translateTo(language)(`problem.${problem}`)
  return refuse(problem, { message, errors: [{ field: 'otp', message }] })
}
