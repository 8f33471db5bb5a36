import { sql } from 'kysely'
import type { WebhookReading, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { webhookSources, type WebhookSource } from './webhook-sources.ts'
import { askIfDue } from './reconcile.ts'
import { appendEvent, notifyWaiting } from './record-outcome.ts'

/**
 * A webhook starts a status query at once only if the last query of this payment was longer ago than this. Otherwise
 * the reconciler sends the query, so no sender can make the server flood a provider.
 */
const minAskIntervalSeconds = 2

/**
 * Handles a provider's webhook. A webhook only says that the status may have changed, so the server asks the provider
 * (D42). It first stores that the query is due, so that a crash does not lose the query.
 */
export async function handleWebhook(
  services: Services,
  providers: PaymentProviders,
  { source, reading }: { source: WebhookSource; reading: WebhookReading & { kind: 'payment' } },
): Promise<void> {
  const [column, value] =
    'orderId' in reading
      ? (['order_id', reading.orderId] as const)
      : (['provider_reference', reading.reference] as const)
  const found = await services.db
    .selectFrom('payment')
    .select('id')
    .where('method', '=', webhookSources[source].method)
    .where(column, '=', value)
    .executeTakeFirst()
  if (found) await askProviderNow(services, providers, found.id)
}

/**
 * Queries the provider when the payer returns from the card page or a webhook arrives. The server ignores all
 * parameters of that request, because an attacker can forge them.
 */
export async function askProviderNow(
  services: Services,
  providers: PaymentProviders,
  id: string,
): Promise<void> {
  if (!isUuid(id)) return
  const due = await services.db
    .updateTable('payment')
    .set({ ask_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '!=', 'SUCCESS')
    .where('sent_at', 'is not', null)
    .returning(
      sql<boolean>`asked_at is null or asked_at < now() - make_interval(secs => ${minAskIntervalSeconds})`.as(
        'mayAsk',
      ),
    )
    .executeTakeFirst()
  if (!due) return
  // A request that waits for this payment asks sooner than the reconciler.
  if (!due.mayAsk) return notifyWaiting(services.db, id)
  await appendEvent(services.db, id, { kind: 'woken', detail: {} })
  await askIfDue(services, providers, id)
}
