import type { Kysely, Selectable } from 'kysely'
import type { AnswerInput } from '#contract/endpoints.ts'
import type { AttemptState, AttemptStep } from '#contract/payment.ts'
import type { Schema } from '#server/database/schema.ts'
import { listPaymentsOf } from './own-payment.ts'
import type { PaymentRow } from './payment-answer.ts'

export type Attempt = AnswerInput<'listPaymentAttempts'>['data'][number]
type EventRow = Pick<Selectable<Schema['payment_event']>, 'payment_id' | 'kind' | 'at'>

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

/**
 * A payment request on a phone expires after five minutes, a card page after half an hour. After that only the
 * operator knows the outcome.
 */
const approvalMs = 5 * 60_000
const cardPageMs = 30 * 60_000

function attemptOf(payment: PaymentRow, events: EventRow[], now: Date): Attempt {
  const history = historyOf(payment, events)
  const next = nextStep(payment, now.getTime() - payment.created_at.getTime())
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
    nextAt: showsNextQuery(payment) ? (payment.ask_at?.toISOString() ?? null) : null,
  }
}

function stateOf({ status, refund_due, refunded_at }: PaymentRow): AttemptState {
  if (refunded_at !== null) return 'REFUNDED'
  return refund_due ? 'REFUND_DUE' : status
}

function nextStep(payment: PaymentRow, ageMs: number): AttemptStep {
  const state = stateOf(payment)
  if (state === 'ERROR') return payment.given_up_at === null ? 'nothing-taken' : 'ask-help'
  if (state !== 'IN_PROGRESS') return stepOfState[state]
  if (payment.need_otp && ageMs < approvalMs) return 'waiting-for-code'
  const { step, untilMs } = waitingFor[payment.method]
  return ageMs < untilMs ? step : 'asking-operator'
}

const stepOfState = {
  SUCCESS: 'paid',
  REFUND_DUE: 'refund-due',
  REFUNDED: 'refunded',
} as const satisfies Partial<Record<AttemptState, AttemptStep>>

const phone = { step: 'waiting-for-approval', untilMs: approvalMs } as const
const card = { step: 'waiting-for-card', untilMs: cardPageMs } as const
const noPayerAction = { step: 'asking-operator', untilMs: 0 } as const
const waitingFor = {
  MOBILE: phone,
  AGGREGATOR: phone,
  CARD: card,
  CARD_UBA: card,
  BACM: card,
  MOCK: noPayerAction,
  WHITELIST: noPayerAction,
} as const satisfies Record<PaymentRow['method'], { step: AttemptStep; untilMs: number }>

/**
 * Whether the applicant sees the time of the next status query. The server also queries other failed payments, but
 * the applicant need not wait for that.
 */
function showsNextQuery({ status, given_up_at }: PaymentRow): boolean {
  return status === 'IN_PROGRESS' || (status === 'ERROR' && given_up_at !== null)
}

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
    .select(['payment_event.payment_id', 'payment_event.kind', 'payment_event.at'])
    .where('payment.application_id', '=', applicationId)
    .orderBy('payment_event.id')
    .execute()
}
