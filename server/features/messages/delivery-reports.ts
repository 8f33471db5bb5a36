import { sql } from 'kysely'
import type { DeliveryReport, ReportingProvider } from '#server/integrations/sms-reports.ts'
import { deliveries, messages } from '#server/calls/event-counts.ts'
import type { Services } from '#server/calls/services.ts'
import { priorityName } from './lanes.ts'

/**
 * Stores a gateway's delivery report. A final outcome never changes, also when another report arrives later. The log
 * line has no recipient. Its `seconds` count from the cause of the message, so they include the wait for the gateway.
 */
export async function storeReport(
  { db, logger }: Services,
  provider: ReportingProvider,
  { reference, outcome }: DeliveryReport,
): Promise<void> {
  // No text of the database has a null character: PostgreSQL would refuse the query.
  if (reference.includes('\0')) return
  const updated = await db
    .updateTable('outbox')
    .set({ delivery: outcome, reported_at: sql<Date>`now()` })
    .where('provider', '=', provider)
    .where('provider_reference', '=', reference)
    .where(row => row.or([row('delivery', 'is', null), row('delivery', '=', 'pending')]))
    .returning([
      'kind',
      'channel',
      'priority',
      sql<number>`extract(epoch from now() - created_at)::integer`.as('seconds'),
      sql<number | null>`extract(epoch from now() - sent_at)::double precision`.as('delivery_seconds'),
    ])
    .executeTakeFirst()
  if (updated === undefined) return
  const { channel, kind, priority, seconds, delivery_seconds: deliverySeconds } = updated
  if (outcome !== 'pending') messages.inc({ channel, outcome })
  if (outcome === 'delivered' && deliverySeconds !== null)
    deliveries.observe({ channel, priority: priorityName(priority) }, deliverySeconds)
  logger.info({ provider, outcome, kind, seconds }, 'Delivery report of a gateway')
}
