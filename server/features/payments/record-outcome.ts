import { type Kysely, sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type ApplicationRow, advanceState } from '#server/features/applications/own-application.ts'
import { announcePayment } from './announce-payment.ts'
import type { PaymentRow } from './payment-answer.ts'

export type Outcome = { status: 'SUCCESS'; operatorReference?: string } | { status: 'ERROR'; reason: string }

/**
 * Writes down how a payment ended, and moves its application on, in one transaction. SUCCESS is final and wins over
 * an earlier ERROR (D42); told twice, it changes nothing. Money for an application that is already paid, or gone,
 * is due back.
 */
export async function recordOutcome(
  db: Kysely<Schema>,
  payment: PaymentRow,
  outcome: Outcome,
): Promise<PaymentRow> {
  return db.transaction().execute(async transaction => {
    const application = await lockApplicationRow(transaction, payment.application_id)
    const updated = await writeStatus(transaction, payment.id, outcome)
    if (!updated) return readPayment(transaction, payment.id)
    const detail = outcome.status === 'ERROR' ? { reason: outcome.reason } : {}
    await appendEvent(transaction, payment.id, { kind: outcome.status, detail })
    return outcome.status === 'SUCCESS'
      ? applyPayment(transaction, { application, payment: updated })
      : updated
  })
}

/** Everything that decides about money of an application happens one after the other. */
export function lockApplicationRow(
  transaction: Transaction<Schema>,
  applicationId: string,
): Promise<ApplicationRow> {
  return transaction
    .selectFrom('application')
    .selectAll()
    .where('id', '=', applicationId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** The application goes on with the first payment that reaches it; any other is to be given back. */
export async function applyPayment(
  transaction: Transaction<Schema>,
  { application, payment }: { application: ApplicationRow; payment: PaymentRow },
): Promise<PaymentRow> {
  const moved = await advanceState(transaction, application.id, 'payment-succeeded')
  if (moved) {
    await announcePayment(transaction, { application, payment })
    return payment
  }
  await appendEvent(transaction, payment.id, { kind: 'refund-due', detail: {} })
  return transaction
    .updateTable('payment')
    .set({ refund_due: true })
    .where('id', '=', payment.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * No answer for a day: the applicant may pay in another way, and the operator is still asked now and then. Whoever
 * looks after payments finds the order by `given_up_at`.
 */
export async function giveUp(db: Kysely<Schema>, payment: PaymentRow): Promise<PaymentRow> {
  const ended = await recordOutcome(db, payment, { status: 'ERROR', reason: 'given-up' })
  if (ended.status !== 'ERROR') return ended
  const givenUp = await db
    .updateTable('payment')
    .set({ given_up_at: sql<Date>`now()`, ask_at: sql<Date>`now() + interval '1 day'` })
    .where('id', '=', payment.id)
    .where('status', '=', 'ERROR')
    .returningAll()
    .executeTakeFirst()
  return givenUp ?? ended
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

/** What happened to a payment, in order and never changed. */
export async function appendEvent(
  db: Kysely<Schema>,
  paymentId: string,
  { kind, detail }: PaymentEvent,
): Promise<void> {
  await sql`insert into payment_event (payment_id, kind, detail)
    values (${paymentId}, ${kind}, ${JSON.stringify(detail)}::jsonb)`.execute(db)
}

/** Undefined when there is nothing to write: it ended so already, or it succeeded before. */
function writeStatus(
  transaction: Transaction<Schema>,
  paymentId: string,
  outcome: Outcome,
): Promise<PaymentRow | undefined> {
  const { status } = outcome
  return transaction
    .updateTable('payment')
    .set({
      status,
      settled_at: sql<Date>`now()`,
      // What was never sent cannot succeed late.
      ask_at:
        status === 'SUCCESS'
          ? null
          : sql<Date | null>`case when sent_at is null then null else now() + interval '1 minute' end`,
      ...(outcome.status === 'SUCCESS' ? { operator_reference: outcome.operatorReference ?? '' } : {}),
    })
    .where('id', '=', paymentId)
    .where('status', 'in', status === 'SUCCESS' ? ['IN_PROGRESS', 'ERROR'] : ['IN_PROGRESS'])
    .returningAll()
    .executeTakeFirst()
}

function readPayment(db: Kysely<Schema>, id: string): Promise<PaymentRow> {
  return db.selectFrom('payment').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}
