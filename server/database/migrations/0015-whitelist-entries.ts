import { type Migration, sql } from 'kysely'

/**
 * One payment of the old system is one entry, with all contacts of its payer. `used_at`: when the entry paid for an
 * application. This time stays when the applicant loses the contact, so that no other applicant with the contact can use the
 * entry.
 */
const statements = [
  `alter table whitelist
    add column entry uuid not null default gen_random_uuid(),
    add column used_at timestamptz`,
  `create index whitelist_of_entry on whitelist (entry)`,
  `create index whitelist_by_contact on whitelist (kind, lower(value))`,
  `update whitelist set used_at = payment.created_at
    from payment
      join application on application.id = payment.application_id
      join contact on contact.applicant_id = application.applicant_id
    where payment.method = 'WHITELIST' and payment.status = 'SUCCESS'
      and contact.kind = whitelist.kind and lower(contact.value) = lower(whitelist.value)`,
]

export const whitelistEntries: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
