import type { Kysely, Selectable } from 'kysely'
import type { AnswerInput } from '#contract/endpoints.ts'
import type { AttemptState, AttemptStep } from '#contract/payment.ts'
import type { Schema } from '#server/database/schema.ts'
import { failureOf } from './failure-reason.ts'
import { listPaymentsOf } from './own-payment.ts'
import { payerSteps, phoneTimeoutMs } from './payer-steps.ts'
import type { PaymentRow } from './payment-answer.ts'
import { isCancellation } from './record-outcome.ts'

export type Attempt = AnswerInput<'listPaymentAttempts'>['data'][number]
type EventRow = Pick<Selectable<Schema['payment_event']>, 'payment_id' | 'kind' | 'at' | 'detail'>

/** Lists the attempts to pay for an application, newest first, each with every change of its state (F1). */
export async function readCaseFile(
  db: Kysely<Schema>,
  { applicationId, now }: { applicationId: string; now: Date },
): Promise<Attempt[]> {
  const payments = await listPaymentsOf(db, applicationId)
  const events = await readEvents(db, applicationId)
  return payments.map(payment =>
    attemptOf(
      payment,
      events.filter(event => event.payment_id === payment.id),
      now,
    ),
  )
}

function attemptOf(payment: PaymentRow, events: EventRow[], now: Date): Attempt {
  const history = historyOf(payment, events)
  const next = nextStep(payment, {
    ageMs: now.getTime() - payment.created_at.getTime(),
    isCanceled: events.some(isCancellation),
    isPayerCodeSent: events.some(({ kind }) => kind === 'code-sent'),
  })
  return {
    id: payment.id,
    orderNumber: payment.order_id,
    methodType: payment.method,
    method: payment.channel,
    createdAt: payment.created_at.toISOString(),
    updatedAt: history.at(-1)?.at ?? payment.created_at.toISOString(),
    amount: payment.amount,
    currency: payment.currency,
    operatorReference: payment.operator_reference,
    state: stateOf(payment),
    history,
    next,
    ...(payment.status === 'ERROR' && { failure: failureOf(events) }),
    nextAt: showsNextQuery(payment) ? (payment.ask_at?.toISOString() ?? null) : null,
  }
}

function stateOf({ status, refund_due, refunded_at }: PaymentRow): AttemptState {
  if (refunded_at !== null) return 'REFUNDED'
  return refund_due ? 'REFUND_DUE' : status
}

function nextStep(
  payment: PaymentRow,
  { ageMs, isCanceled, isPayerCodeSent }: { ageMs: number; isCanceled: boolean; isPayerCodeSent: boolean },
): AttemptStep {
  const state = stateOf(payment)
  if (state === 'ERROR' && isCanceled) return 'canceled'
  // `given_up_at` is set when the operator sent no final answer for a day: then the applicant must ask for help.
  if (state === 'ERROR') return payment.given_up_at === null ? 'nothing-taken' : 'ask-help'
  if (state !== 'IN_PROGRESS') return finalSteps[state]
  // `need_otp` stays true until the operator accepts a code, so that the payer can enter another one.
  if (payment.need_otp && ageMs < phoneTimeoutMs) return 'waiting-for-code'
  if (isPayerCodeSent) return 'asking-operator'
  const { step, timeoutMs } = payerSteps[payment.method]
  return ageMs < timeoutMs ? step : 'asking-operator'
}

const finalSteps = {
  SUCCESS: 'paid',
  REFUND_DUE: 'refund-due',
  REFUNDED: 'refunded',
} as const satisfies Partial<Record<AttemptState, AttemptStep>>

/**
 * Whether the applicant sees the time of the next status query: only while the outcome is unknown. The server also
 * queries payments that the operator has reported as failed, because some operators take the money late, but the
 * applicant need not wait for that.
 */
function showsNextQuery({ status, given_up_at }: PaymentRow): boolean {
  return status === 'IN_PROGRESS' || (status === 'ERROR' && given_up_at !== null)
}

/** The state that an event of this kind starts. Events of other kinds, such as a webhook, change no state. */
const stateOfEvent: Partial<Record<string, AttemptState>> = {
  ordered: 'IN_PROGRESS',
  SUCCESS: 'SUCCESS',
  ERROR: 'ERROR',
  'refund-due': 'REFUND_DUE',
  refunded: 'REFUNDED',
}

function historyOf(payment: PaymentRow, events: EventRow[]): Attempt['history'] {
  const changes = events.flatMap(({ kind, at }) => {
    const state = stateOfEvent[kind]
    return state === undefined ? [] : [{ state, at: at.toISOString() }]
  })
  return changes.length > 0
    ? changes
    : [{ state: stateOf(payment), at: (payment.settled_at ?? payment.created_at).toISOString() }]
}

function readEvents(db: Kysely<Schema>, applicationId: string): Promise<EventRow[]> {
  return db
    .selectFrom('payment_event')
    .innerJoin('payment', 'payment.id', 'payment_event.payment_id')
    .select(['payment_event.payment_id', 'payment_event.kind', 'payment_event.at', 'payment_event.detail'])
    .where('payment.application_id', '=', applicationId)
    .orderBy('payment_event.id')
    .execute()
}
