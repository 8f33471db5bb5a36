import { sql } from 'kysely'
import type { WebhookReading, PaymentProviders } from '#server/integrations/payment-provider.ts'
import { createAllowances, type TakeAllowance } from '#server/calls/rate-limit.ts'
import type { Services } from '#server/calls/services.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { webhookSources, type WebhookSource } from './webhook-sources.ts'
import { queryIfDue } from './reconcile.ts'
import { appendEvent, notifyWaiting } from './record-outcome.ts'
import { hasNoQueryWithin } from './query-due.ts'

/**
 * A webhook starts a status query at once only if the last query of this payment was longer ago than this. Otherwise
 * the reconciler, or a request that waits for the payment, sends the query, so no sender can make the server flood a
 * provider. A provider sends a few webhooks for one order. For an order with more of them (`isRepeated`),
 * `repeatedInterval` applies, also to the query that a webhook makes due for the reconciler.
 */
const promptInterval = sql`interval '2 seconds'`
const repeatedInterval = sql`interval '1 minute'`
const isRepeated = sql`(select count(*) from payment_event where payment_id = payment.id and kind = 'woken') >= 5`

/**
 * Webhooks and returns of one order that may write to the database, in each process. The server ignores more of them,
 * because anybody who knows the number of an order can send a flood. The reconciler queries the order all the same.
 */
const orderRate = { burst: 20, perMinute: 20 }

/** After these days a webhook is ignored: the last scheduled status query was long before. */
const openDays = 30

/** Webhooks that name an unknown order, for each source: beyond these, a flood costs no statement of the database. */
const unknownRate = { burst: 100, perMinute: 60 }

/** `ofUnknown`: webhooks that name an unknown order, by source. `ofOrder`: of one order, by the id of its payment. */
type WebhookLimits = { ofUnknown: TakeAllowance; ofOrder: TakeAllowance }

const webhookLimits = new WeakMap<Services['db'], WebhookLimits>()

/** The allowances of this process. */
function limitsOf({ db, clock }: Services): WebhookLimits {
  const known = webhookLimits.get(db)
  if (known) return known
  const limits = {
    ofUnknown: createAllowances(clock, unknownRate),
    ofOrder: createAllowances(clock, orderRate),
  }
  webhookLimits.set(db, limits)
  return limits
}

/**
 * Handles a provider's webhook. A webhook only says that the status may have changed, so the server queries the provider
 * (D42). It first stores that the status query is due, so that a crash does not lose it. While a sender floods a source
 * with unknown orders, the reconciler queries instead (D97).
 */
export async function handleWebhook(
  services: Services,
  providers: PaymentProviders,
  { source, reading }: { source: WebhookSource; reading: WebhookReading & { kind: 'payment' } },
): Promise<void> {
  const { ofUnknown: takeUnknown } = limitsOf(services)
  if (takeUnknown(source, 0) > 0) return
  const [column, value] =
    'orderId' in reading
      ? (['order_id', reading.orderId] as const)
      : (['provider_reference', reading.reference] as const)
  // No text of the database has a null character: PostgreSQL would refuse the statement.
  const found = value.includes('\0')
    ? undefined
    : await services.db
        .selectFrom('payment')
        .select('id')
        .where('method', '=', webhookSources[source].method)
        .where(column, '=', value)
        .executeTakeFirst()
  if (found) await queryProviderNow(services, providers, found.id)
  else takeUnknown(source)
}

/**
 * Makes a status query due when the payer returns from the card page or a webhook arrives, and sends it at once unless
 * the last query was within `promptInterval`, or within `repeatedInterval` for an order with many webhooks. The request only
 * names the order: the server believes nothing else of it, because an attacker can forge it.
 */
export async function queryProviderNow(
  services: Services,
  providers: PaymentProviders,
  id: string,
): Promise<void> {
  if (!isUuid(id) || limitsOf(services).ofOrder(id) > 0) return
  const due = await services.db
    .updateTable('payment')
    .set({
      ask_at: sql<Date>`case when ${isRepeated}
        then least(coalesce(ask_at, 'infinity'), greatest(now(), asked_at + ${repeatedInterval})) else now() end`,
    })
    .where('id', '=', id)
    .where('status', '!=', 'SUCCESS')
    .where('sent_at', 'is not', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${openDays})`)
    .returning([
      hasNoQueryWithin(sql`case when ${isRepeated} then ${repeatedInterval} else ${promptInterval} end`).as(
        'mayQuery',
      ),
      sql<boolean>`${isRepeated}`.as('isRepeated'),
    ])
    .executeTakeFirst()
  if (!due) return
  // A request that waits for this payment queries the provider sooner than the reconciler.
  if (!due.mayQuery) return notifyWaiting(services.db, id)
  // Only the first five of these events are stored, because `isRepeated` needs no more: otherwise an order could get a row a
  // minute for a month.
  if (!due.isRepeated) await appendEvent(services.db, id, { kind: 'woken', detail: {} })
  await queryIfDue(services, providers, id)
}
