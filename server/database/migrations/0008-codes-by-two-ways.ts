import { type Migration, sql } from 'kysely'

/**
 * Codes sent to the applicant's other contact; browsers in which a contact was verified; the country code of a challenge,
 * for counts of codes; indexes by time.
 */
const statements = [
  // `other_channel`: the applicant asked for a code by the other way, e-mail or SMS. `sent_to`: the other contact, to
  // which the code was sent, and which is verified when the code is used. Null when `other_channel` is false, there was
  // no other contact, or the budget of codes was spent.
  `alter table one_time_code
    add column other_channel boolean not null default false,
    add column sent_to text`,
  // For the watch of unused SMS codes and the deletion of old codes.
  `create index one_time_code_by_time on one_time_code (sent_at)`,
  // `dial_code`: the country code of the typed number, '' for an e-mail address. `proven_at`: when a code for this contact
  // was last used in this browser; null on a shared device, or when no code was used.
  `alter table challenge
    add column dial_code text not null default '',
    add column proven_at timestamptz`,
  // For the deletion of old messages.
  `create index outbox_by_time on outbox (created_at)`,
]

export const codesByTwoWays: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
