import { sql } from 'kysely'
import { waitOutside } from '#server/calls/outside-wait.ts'
import type { Services } from '#server/calls/services.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'
import type { PaymentWaits } from './payment-waits.ts'
import { queryPaymentStatus } from './provider-calls.ts'
import { readPayment } from './record-outcome.ts'
import { refreshInTime, refreshSeldom } from './refresh-seldom.ts'
import { hasNoQueryWithin, pollInterval } from './query-due.ts'

type Parts = { services: Services; waits: PaymentWaits; provider: PaymentProvider | undefined }
type WaitInput = { applicantId: string; timeoutMs: number; responseClosed: AbortSignal }

/**
 * Once the order was sent longer ago than this, a held request queries the provider only at its start; a webhook or the
 * reconciler queries it too.
 */
const eagerSeconds = 60
/**
 * Shortest time between two status queries while `ask_at` has passed, for example after a webhook; otherwise
 * `pollInterval`.
 */
const wokenInterval = sql`interval '1 second'`

/**
 * Returns the payment as soon as it has ended, at the latest after `timeoutMs`, or when the client leaves or the server
 * stops. When no further request can be held, it returns as soon as `refreshInTime` does, and without a provider at
 * once. The request holds no database connection and no transaction while it waits. A status query of a slow provider
 * continues after the answer and records its outcome; if it fails or the server ends before, the reconciler queries the
 * provider again.
 */
export async function awaitOutcome(
  { services, waits, provider }: Parts,
  payment: PaymentRow,
  input: WaitInput,
): Promise<PaymentRow> {
  // Joins the waits first: an outcome between the first read and the first pause must not be missed.
  const held = waits.join({ paymentId: payment.id, ...input })
  if (!held) return provider ? refreshInTime(services, { provider, payment }) : payment
  try {
    const refreshed = provider ? refreshSeldom(services, { provider, payment }) : Promise.resolve(payment)
    let current = await held.untilOver(refreshed)
    const pause = () => waitOutside(() => held.pause())
    while (current?.status === 'IN_PROGRESS' && (await pause()) !== 'over')
      current = await held.untilOver(queryOrRead(services, provider, current))
    return current ?? (await readPayment(services.db, payment.id))
  } finally {
    held.leave()
  }
}

/**
 * Queries the provider if a status query is allowed now, else reads the row, which another request or process may have
 * changed.
 */
async function queryOrRead(
  services: Services,
  provider: PaymentProvider | undefined,
  { id }: PaymentRow,
): Promise<PaymentRow> {
  const claimed = provider && (await claimEagerQuery(services, id))
  if (claimed) return queryPaymentStatus(services, { provider, payment: claimed })
  return readPayment(services.db, id)
}

/**
 * Of all requests and processes that wait for a payment, only one may begin a status query in each interval. Undefined
 * when none may begin now, and when the order was never sent, or was sent more than `eagerSeconds` ago.
 */
function claimEagerQuery({ db }: Services, id: string): Promise<PaymentRow | undefined> {
  return db
    .updateTable('payment')
    .set({ asked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'IN_PROGRESS')
    .where('sent_at', '>', sql<Date>`now() - make_interval(secs => ${eagerSeconds})`)
    .where(payment =>
      payment.or([
        hasNoQueryWithin(pollInterval),
        payment.and([payment('ask_at', '<=', sql<Date>`now()`), hasNoQueryWithin(wokenInterval)]),
      ]),
    )
    .returning(paymentColumns)
    .executeTakeFirst()
}
