import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { FailureReason } from '#contract/payment-failure.ts'
import { paymentChannel } from '#server/database/listener.ts'
import type { Schema } from '#server/database/schema.ts'
import {
  advanceState,
  applicationColumns,
  type ApplicationRow,
} from '#server/features/applications/own-application.ts'
import { closeCompleteForm } from '#server/features/applications/stored-form.ts'
import { payments } from '#server/calls/event-counts.ts'
import { notifyApplicantOfPayment } from './notify-of-payment.ts'
import { failureOf } from './failure-reason.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'

/** `reason`: the provider's own code, or a word of the server. `failure`: what the provider's code means to the payer. */
export type Outcome =
  | { status: 'SUCCESS'; operatorReference?: string }
  | {
      status: 'ERROR'
      reason: string
      failure?: FailureReason | undefined
      /**
       * The `sent_at` for which the order was judged. The outcome is recorded only while the order has this
       * `sent_at`: another request may have sent the order since.
       */
      ifSentAt?: Date | null
    }

/**
 * Records the outcome of a payment. A success advances its application, in the same transaction; it is final and wins
 * over an earlier ERROR (D42); recording it twice changes nothing. A payment that the application does not need is
 * marked as due for refund (`applyPayment`).
 *
 * @throws when the application does not exist
 */
export async function recordOutcome(
  db: Kysely<Schema>,
  payment: PaymentRow,
  outcome: Outcome,
): Promise<PaymentRow> {
  const { recorded, isNew } = await db.transaction().execute(trx => recordIn(trx, payment, outcome))
  if (isNew) countOutcome(recorded, outcome)
  return recorded
}

/** As `recordOutcome`, for a success in the caller's transaction, and without counting it in the metrics. */
export async function applySuccess(trx: Transaction<Schema>, payment: PaymentRow): Promise<PaymentRow> {
  return (await recordIn(trx, payment, { status: 'SUCCESS' })).recorded
}

/** `isNew`: this call has changed the status. */
async function recordIn(
  trx: Transaction<Schema>,
  payment: PaymentRow,
  outcome: Outcome,
): Promise<{ recorded: PaymentRow; isNew: boolean }> {
  const application = await lockApplicationById(trx, payment.application_id)
  const updated = await writeStatus(trx, payment.id, outcome)
  if (!updated) return { recorded: await readPayment(trx, payment.id), isNew: false }
  await appendEvent(trx, payment.id, { kind: outcome.status, detail: detailOf(outcome) })
  const recorded =
    outcome.status === 'SUCCESS' ? await applyPayment(trx, { application, payment: updated }) : updated
  return { recorded, isNew: true }
}

function countOutcome({ method }: PaymentRow, outcome: Outcome): void {
  const failure = failureOf([{ kind: outcome.status, detail: detailOf(outcome) }])
  payments.inc({ method, outcome: failure ?? 'success' })
}

function detailOf(outcome: Outcome): PaymentEvent['detail'] {
  if (outcome.status === 'SUCCESS') return {}
  const { reason, failure } = outcome
  return failure === undefined ? { reason } : { reason, failure }
}

/**
 * Locks the application's row, so that all decisions about its payments run one after the other.
 *
 * @throws when there is no application with this id
 */
export function lockApplicationById(
  trx: Transaction<Schema>,
  applicationId: string,
): Promise<ApplicationRow> {
  return trx
    .selectFrom('application')
    .select(applicationColumns)
    .where('id', '=', applicationId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/**
 * Advances the application with its first successful payment, and notifies the applicant. Marks the payment as due for refund
 * when the application is paid already or was deleted.
 */
export async function applyPayment(
  trx: Transaction<Schema>,
  { application, payment }: { application: ApplicationRow; payment: PaymentRow },
): Promise<PaymentRow> {
  const isAdvanced = await advanceState(trx, application.id, 'payment-succeeded')
  if (isAdvanced) {
    await closeCompleteForm(trx, application.id)
    await notifyApplicantOfPayment(trx, { application, payment })
    return payment
  }
  await appendEvent(trx, payment.id, { kind: 'refund-due', detail: {} })
  return trx
    .updateTable('payment')
    .set({ refund_due: true })
    .where('id', '=', payment.id)
    .returning(paymentColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Marks an order as failed after one day without a final answer from the provider, so that the applicant can use
 * another method. The server still queries the provider once a day for a week. Staff find the order by `given_up_at`.
 * Undefined when another request has ended the order: it keeps that outcome.
 */
export async function giveUp(db: Kysely<Schema>, payment: PaymentRow): Promise<PaymentRow | undefined> {
  const outcome = { status: 'ERROR', reason: 'given-up' } as const
  const givenUp = await db.transaction().execute(async trx => {
    const { isNew } = await recordIn(trx, payment, outcome)
    if (!isNew) return undefined
    return trx
      .updateTable('payment')
      .set({ given_up_at: sql<Date>`now()`, ask_at: dueOrIn(sql`interval '1 day'`) })
      .where('id', '=', payment.id)
      .returning(paymentColumns)
      .executeTakeFirstOrThrow()
  })
  if (givenUp) countOutcome(givenUp, outcome)
  return givenUp
}

/** The reason of an ERROR that the applicant caused by canceling the order (D47). */
const canceledReason = 'canceled'

/**
 * Ends an open order because the applicant canceled it. The reconciler still queries an order that was sent, so a late
 * success is found. Undefined when the order has ended before: it keeps its outcome. The caller calls
 * `countCancellation` after its commit.
 */
export async function recordCancellation(
  trx: Transaction<Schema>,
  payment: PaymentRow,
): Promise<PaymentRow | undefined> {
  const updated = await writeStatus(trx, payment.id, { status: 'ERROR', reason: canceledReason })
  if (!updated) return undefined
  await appendEvent(trx, payment.id, { kind: 'ERROR', detail: { reason: canceledReason } })
  return updated
}

/** Counts a canceled payment in the metrics. */
export function countCancellation({ method }: PaymentRow): void {
  payments.inc({ method, outcome: 'canceled' })
}

/**
 * Locks one payment, so that no other process marks it as sent during the transaction.
 *
 * @throws when there is no payment with this id
 */
export function lockPaymentRow(trx: Transaction<Schema>, id: string): Promise<PaymentRow> {
  return trx
    .selectFrom('payment')
    .select(paymentColumns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export function isCancellation(event: { kind: string; detail: Record<string, unknown> }): boolean {
  return event.kind === 'ERROR' && event.detail['reason'] === canceledReason
}

/** Whether the provider may have a code of the payer that it has not refused: then it may take the money. */
export async function isCodeWithProvider(db: Kysely<Schema>, paymentId: string): Promise<boolean> {
  const { open } = await db
    .selectFrom('payment_event')
    .select(
      sql<number>`(count(*) filter (where kind = 'code-sent')
        - count(*) filter (where kind = 'code-refused'))::int`.as('open'),
    )
    .where('payment_id', '=', paymentId)
    .executeTakeFirstOrThrow()
  return open > 0
}

export async function hasEvent(db: Kysely<Schema>, paymentId: string, kind: string): Promise<boolean> {
  const found = await db
    .selectFrom('payment_event')
    .select('id')
    .where('payment_id', '=', paymentId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return found !== undefined
}

type PaymentEvent = { kind: string; detail: Record<string, string | number | null> }

/**
 * Appends one event to the payment's history, and notifies the requests that wait for this payment when the transaction
 * commits. Events are never changed.
 */
export async function appendEvent(
  db: Kysely<Schema>,
  paymentId: string,
  { kind, detail }: PaymentEvent,
): Promise<void> {
  await sql`insert into payment_event (payment_id, kind, detail)
    values (${paymentId}, ${kind}, ${JSON.stringify(detail)}::jsonb)
    returning pg_notify(${paymentChannel}, payment_id::text)`.execute(db)
}

/** Makes the requests that wait for this payment read it again, in every process. */
export async function notifyWaiting(db: Kysely<Schema>, paymentId: string): Promise<void> {
  await sql`select pg_notify(${paymentChannel}, ${paymentId})`.execute(db)
}

/**
 * Writes the status of an outcome. Undefined when nothing changes: the payment has this status already or has
 * succeeded, or the order was sent again after it was judged (`ifSentAt`).
 */
function writeStatus(
  trx: Transaction<Schema>,
  paymentId: string,
  outcome: Outcome,
): Promise<PaymentRow | undefined> {
  const { status } = outcome
  return trx
    .updateTable('payment')
    .set({
      status,
      settled_at: sql<Date>`now()`,
      // An order that was never sent cannot succeed later.
      ask_at:
        status === 'SUCCESS'
          ? null
          : sql<Date | null>`case when sent_at is null then null else ${dueOrIn(sql`interval '1 minute'`)} end`,
      ...(outcome.status === 'SUCCESS' ? { operator_reference: outcome.operatorReference ?? '' } : {}),
    })
    .where('id', '=', paymentId)
    .where('status', 'in', status === 'SUCCESS' ? ['IN_PROGRESS', 'ERROR'] : ['IN_PROGRESS'])
    .$if('ifSentAt' in outcome, query => query.where(isSentAt(outcome)))
    .returning(paymentColumns)
    .executeTakeFirst()
}

/**
 * The time of the next status query after a failure. A query that is due stays due, because a webhook may have made it due
 * after the provider gave its answer. If this transaction waited for a lock, the time of the webhook may be later than the
 * `now()` of this transaction: hence the 10 seconds.
 */
function dueOrIn(interval: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`case when ask_at <= now() + interval '10 seconds' then ask_at else now() + ${interval} end`
}

/** Compares milliseconds, because a `Date` has no microseconds. */
function isSentAt(outcome: Outcome) {
  const sentAt = ('ifSentAt' in outcome && outcome.ifSentAt) || null
  return sql<boolean>`date_trunc('milliseconds', sent_at) is not distinct from ${sentAt}::timestamptz`
}

/** @throws when there is no payment with this id */
export function readPayment(db: Kysely<Schema>, id: string): Promise<PaymentRow> {
  return db.selectFrom('payment').select(paymentColumns).where('id', '=', id).executeTakeFirstOrThrow()
}
