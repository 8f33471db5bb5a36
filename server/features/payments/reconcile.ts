import { sql } from 'kysely'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { queryPaymentStatus } from './provider-calls.ts'
import { isQueryDue } from './query-due.ts'
import { giveUpAfterSeconds, nextQuerySeconds, readAges } from './status-schedule.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import { giveUp } from './record-outcome.ts'

/** Status queries of one gateway that run in parallel. */
const maxParallel = 10
/**
 * Of one gateway. This process begins its next round after the slowest gateway: one that hangs delays it by ten
 * timeouts or more.
 */
const maxPerRound = 100

/**
 * Queries the status of the payments that are due, at most `maxPerRound` of each gateway; the server calls this every 5
 * seconds. Only one process claims each query. The claim also sets the time of the next query, so no query is lost in a
 * crash. Each gateway has its own queries in parallel, so that a slow one does not delay the payments of the others in
 * this round.
 */
export async function reconcileDue(services: Services, providers: PaymentProviders): Promise<void> {
  const due = await listDue(services)
  const gateways = new Set(due.map(({ gateway }) => gateway))
  await Promise.all(
    [...gateways].map(gateway =>
      queryInTurn(
        services,
        providers,
        due.filter(each => each.gateway === gateway),
      ),
    ),
  )
}

async function queryInTurn(services: Services, providers: PaymentProviders, due: readonly { id: string }[]) {
  for (let first = 0; first < due.length; first += maxParallel)
    await Promise.all(
      due.slice(first, first + maxParallel).map(({ id }) => queryIfDue(services, providers, id)),
    )
}

/**
 * Queries the status of one payment if it is due, and gives up an open order that is a day old (`giveUp`). An error of the
 * server is logged; the next query stays scheduled.
 */
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
    .where(isQueryDue)
    .where('status', '!=', 'SUCCESS')
    .returning(paymentColumns)
    .executeTakeFirst()
}

/**
 * For each gateway the payments that have been due longest. PostgreSQL plans the statement at each call, for the payments
 * that are due now (preparing-client.ts).
 */
async function listDue({ db }: Services): Promise<{ id: string; gateway: string }[]> {
  const { rows } = await sql<{ id: string; gateway: string }>`/* not prepared (D95) */
    select id, method || ' ' || channel as gateway from (
      select id, method, channel, ask_at, row_number() over (partition by method, channel order by ask_at) as turn
      from payment where ${isQueryDue} and status <> 'SUCCESS') as due
    where turn <= ${maxPerRound} order by ask_at`.execute(db)
  return rows
}
