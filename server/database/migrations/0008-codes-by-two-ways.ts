import { type Migration, sql } from 'kysely'

/**
 * Codes sent to the applicant's other contact; browsers in which a contact was verified; columns for the code metrics.
 */
const statements = [
  // `sent_to`: the contact that the code verifies, when it is not the challenge's own; null when there was none.
  `alter table one_time_code
    add column other_channel boolean not null default false,
    add column sent_to text`,
  `create index one_time_code_by_time on one_time_code (sent_at)`,
  // `proven_at`: when a code was last used in this browser; null on a shared device.
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
