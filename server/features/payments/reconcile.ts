import { sql } from 'kysely'
import type { PaymentProviders } from '#server/outside/payment-provider.ts'
import type { Services } from '#server/services.ts'
import { refreshPayment } from './ask-provider.ts'
import type { PaymentRow } from './payment-answer.ts'
import { paymentProviders } from './providers.ts'
import { appendEvent } from './settle.ts'

const hour = 3_600
/** Seconds after the order at which a provider is asked how it stands: 15 s, 1, 5, 15 min, hourly for a day (D42). */
const askedAfter = [15, 60, 300, 900, ...Array.from({ length: 24 }, (_, index) => (index + 1) * hour)]

type OpenPayment = PaymentRow & { age: number; asked_at_age: number }

/**
 * Asks about every open order whose time has come; called every few seconds. Two servers that ask at once do no
 * harm: what an answer changes is changed once.
 */
export async function reconcileDue(
  services: Services,
  providers: PaymentProviders = paymentProviders(services),
): Promise<void> {
  for (const payment of await listOpen(services)) {
    const provider = providers[payment.method]
    if (!provider || !isDue(payment.age, payment.asked_at_age)) continue
    await appendEvent(services.db, payment.id, { kind: 'asked', detail: {} })
    await refreshPayment(services, { provider, payment })
  }
}

/** Whether a moment of the schedule lies between the last question and now; ages in seconds. */
export function isDue(age: number, askedAtAge: number): boolean {
  return askedAfter.some(moment => askedAtAge < moment && moment <= age)
}

/** Ages by the database's clock, which wrote the times. */
async function listOpen({ db }: Services): Promise<OpenPayment[]> {
  return db
    .selectFrom('payment')
    .selectAll()
    .select([
      sql<number>`extract(epoch from now() - created_at)::float8`.as('age'),
      sql<number>`coalesce((
        select extract(epoch from max(at) - payment.created_at) from payment_event
        where payment_id = payment.id and kind = 'asked'), 0)::float8`.as('asked_at_age'),
    ])
    .where('status', '=', 'IN_PROGRESS')
    .execute()
}
