import { sql } from 'kysely'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { queryPaymentStatus } from './provider-calls.ts'
import { giveUpAfterSeconds, nextQuerySeconds, readAges } from './status-schedule.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import { giveUp } from './record-outcome.ts'

/** Status queries that run in parallel, so that one slow provider does not delay the payments of the others. */
const maxParallel = 10
const maxPerRound = 200

/**
 * Queries the status of every payment that is due; the server calls this every few seconds. Only one
 * server claims each query. The claim also sets the time of the next query, so no query is lost in a crash.
 */
export async function reconcileDue(services: Services, providers: PaymentProviders): Promise<void> {
  const due = await listDue(services)
  for (let first = 0; first < due.length; first += maxParallel)
    await Promise.all(
      due.slice(first, first + maxParallel).map(({ id }) => queryIfDue(services, providers, id)),
    )
}

/** Queries the status of one payment if it is due. An error of the server is logged; the next query stays scheduled. */
export async function queryIfDue(services: Services, providers: PaymentProviders, id: string): Promise<void> {
  try {
    const payment = await claimDuePayment(services, id)
    if (payment) await queryAndGiveUp(services, providers, payment)
  } catch (error) {
    services.logger.error(
      { err: error, paymentId: id },
      'The status query of a payment failed in the server. The server queries it again at its next time. Report the error if it repeats.',
    )
  }
}

async function queryAndGiveUp(
  services: Services,
  providers: PaymentProviders,
  payment: PaymentRow,
): Promise<void> {
  const provider = providers[payment.method]
  const queried = provider ? await queryPaymentStatus(services, { provider, payment }) : payment
  if (queried.status !== 'IN_PROGRESS') return
  const { sinceOrderSeconds } = await readAges(services.db, payment.id)
  if (sinceOrderSeconds < giveUpAfterSeconds) return
  if ((await giveUp(services.db, queried)) === undefined) return
  services.logger.error(
    { paymentId: payment.id },
    'No final answer from the payment provider for 24 hours. The payment is marked as failed. Ask the provider about this order.',
  )
}

async function claimDuePayment({ db }: Services, id: string): Promise<PaymentRow | undefined> {
  const payment = await db
    .selectFrom('payment')
    .select(paymentColumns)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!payment) return undefined
  const seconds = nextQuerySeconds(payment, await readAges(db, id))
  return db
    .updateTable('payment')
    .set({
      asked_at: sql<Date>`now()`,
      ask_at: seconds === undefined ? null : sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .where('id', '=', id)
    .where('ask_at', '<=', sql<Date>`now()`)
    .where('status', '!=', 'SUCCESS')
    .returning(paymentColumns)
    .executeTakeFirst()
}

function listDue({ db }: Services): Promise<{ id: string }[]> {
  return db
    .selectFrom('payment')
    .select('id')
    .where('ask_at', '<=', sql<Date>`now()`)
    .where('status', '!=', 'SUCCESS')
    .orderBy('ask_at')
    .limit(maxPerRound)
    .execute()
}
