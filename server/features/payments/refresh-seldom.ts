import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import { queryPaymentStatus, refreshPayment } from './provider-calls.ts'
import { readPayment } from './record-outcome.ts'
import { hasNoQueryWithin, pollInterval } from './query-due.ts'
import { within } from './within.ts'

type RefreshRequest = { provider: PaymentProvider; payment: PaymentRow }

/**
 * Queries the status of an open payment, unless a poll, a webhook or the reconciler of any process did so in the last 2 s:
 * then returns the stored row. A query by Pay, a code or a cancellation does not count. A payment that has ended stays as
 * it is.
 */
export async function refreshSeldom(
  services: Services,
  { provider, payment }: RefreshRequest,
): Promise<PaymentRow> {
  if (payment.status !== 'IN_PROGRESS') return payment
  // In both cases no operator gets a query: the order was never sent, or the demo's provider has no operator.
  if (payment.sent_at === null || provider.hasNoOperator)
    return queryPaymentStatus(services, { provider, payment })
  const claimed = await claimStatusQuery(services.db, payment.id)
  return claimed
    ? queryPaymentStatus(services, { provider, payment: claimed })
    : readPayment(services.db, payment.id)
}

/**
 * As `refreshSeldom`, but returns the stored row when the provider does not answer within `maxAnswerMs`: a page waits for this
 * answer before the payer can enter a code or cancel an open payment. The query continues and records its outcome.
 */
export async function refreshInTime(services: Services, request: RefreshRequest): Promise<PaymentRow> {
  return readInTime(services, request, refreshSeldom(services, request))
}

/** As `refreshInTime`, after a code of the payer: queries the status also less than 2 s after another query. */
export async function refreshAfterCode(services: Services, request: RefreshRequest): Promise<PaymentRow> {
  return readInTime(services, request, refreshPayment(services, request))
}

async function readInTime(
  { db }: Services,
  { payment }: RefreshRequest,
  refreshed: Promise<PaymentRow>,
): Promise<PaymentRow> {
  return (await within(maxAnswerMs, refreshed)) ?? readPayment(db, payment.id)
}

const maxAnswerMs = 5_000

function claimStatusQuery(db: Kysely<Schema>, id: string): Promise<PaymentRow | undefined> {
  return db
    .updateTable('payment')
    .set({ asked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'IN_PROGRESS')
    .where(hasNoQueryWithin(pollInterval))
    .returning(paymentColumns)
    .executeTakeFirst()
}
