import { sql } from 'kysely'
import type { DeliveryReport, ReportingProvider } from '#server/integrations/sms-reports.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * Keeps what a gateway says became of a message. An end stays an end, however late or often something else is said.
 * The log says how long it took, and to no one.
 */
export async function storeReport(
  { db, logger }: Services,
  provider: ReportingProvider,
  { reference, outcome }: DeliveryReport,
): Promise<void> {
  const updated = await db
    .updateTable('outbox')
    .set({ delivery: outcome, reported_at: sql<Date>`now()` })
    .where('provider', '=', provider)
    .where('provider_reference', '=', reference)
    .where(row => row.or([row('delivery', 'is', null), row('delivery', '=', 'pending')]))
    .returning(['kind', sql<number>`extract(epoch from now() - created_at)::integer`.as('seconds')])
    .executeTakeFirst()
  if (updated) logger.info({ provider, outcome, ...updated }, 'delivery report')
}
