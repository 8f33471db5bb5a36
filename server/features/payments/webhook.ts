import { sql } from 'kysely'
import type { WebhookReading, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { webhookSources, type WebhookSource } from './webhook-sources.ts'
import { askIfDue } from './reconcile.ts'
import { appendEvent } from './record-outcome.ts'

/** Whoever knocks more often waits for the reconciler: nobody makes us flood a provider. */
const minAskIntervalSeconds = 2

/**
 * A call-back says no more than that something may have happened. That is written down first, so that it is asked
 * about whatever happens to us now; then the provider is asked (D42).
 */
export async function handleWebhook(
  services: Services,
  providers: PaymentProviders,
  { source, about }: { source: WebhookSource; about: WebhookReading & { kind: 'about' } },
): Promise<void> {
  const [column, value] =
    'orderId' in about
      ? (['order_id', about.orderId] as const)
      : (['provider_reference', about.reference] as const)
  const found = await services.db
    .selectFrom('payment')
    .select('id')
    .where('method', '=', webhookSources[source].method)
    .where(column, '=', value)
    .executeTakeFirst()
  if (found) await askProviderNow(services, providers, found.id)
}

/** The payer came back from the card page: time to ask. Nothing that came along is looked at. */
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
        'free',
      ),
    )
    .executeTakeFirst()
  if (!due?.free) return
  await appendEvent(services.db, id, { kind: 'woken', detail: {} })
  await askIfDue(services, providers, id)
}
