import { type Migration, sql } from 'kysely'

/**
 * Codes sent to the applicant's other contact; browsers in which a contact was verified; columns for the code metrics.
 */
const statements = [
  // `other_channel`: the applicant asked for a code by the other way, e-mail or SMS. `sent_to`: the other contact, to
  // which the code went and which its use verifies; null when the applicant has none, or the code went the usual way.
  `alter table one_time_code
    add column other_channel boolean not null default false,
    add column sent_to text`,
  `create index one_time_code_by_time on one_time_code (sent_at)`,
  // `proven_at`: when a code was last used in this browser; null on a shared device, or when none was used.
  `alter table challenge
    add column dial_code text not null default '',
    add column proven_at timestamptz`,
  `create index outbox_by_time on outbox (created_at)`,
]

export const codesByTwoWays: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
