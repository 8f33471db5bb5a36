import { sql } from 'kysely'
import type { DeliveryReport, ReportingProvider } from '#server/outside/sms-reports.ts'
import type { Services } from '#server/services.ts'

/**
 * Keeps what a gateway says became of a message. An end stays an end, however late or often something else is said.
 * The log says how long it took, and to no one.
 */
export async function keepReport(
  { db, logger }: Services,
  provider: ReportingProvider,
  { reference, outcome }: DeliveryReport,
): Promise<void> {
  const kept = await db
    .updateTable('outbox')
    .set({ delivery: outcome, reported_at: sql<Date>`now()` })
    .where('provider', '=', provider)
    .where('provider_reference', '=', reference)
    .where(row => row.or([row('delivery', 'is', null), row('delivery', '=', 'pending')]))
    .returning(['kind', sql<number>`extract(epoch from now() - created_at)::integer`.as('seconds')])
    .executeTakeFirst()
  if (kept) logger.info({ provider, outcome, ...kept }, 'delivery report')
}
