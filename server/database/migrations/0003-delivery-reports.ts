import { type Migration, sql } from 'kysely'

/**
 * The provider that accepted a message, the provider's reference of the message, and the state (null before the first
 * report) and the time of its newest delivery report. After a final report no other report counts.
 */
const statements = [
  `alter table outbox
    add column provider text,
    add column provider_reference text,
    add column delivery text check (delivery in ('pending', 'delivered', 'undelivered')),
    add column reported_at timestamptz`,
  `create index outbox_of_provider on outbox (provider, provider_reference) where provider_reference is not null`,
]

export const deliveryReports: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
