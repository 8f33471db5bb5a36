import { type Migration, sql } from 'kysely'

/**
 * When a code has last proven each contact (D122). No row says with which contact an applicant has signed in, so each
 * contact starts with the last sign-in of its account, or with the time at which the account got it, if that is later. An
 * older release does not change the column (D73): after a roll-out a contact may count as dormant some days early.
 */
const statements = [
  `alter table contact add column last_proven_at timestamptz not null default now()`,
  `update contact set last_proven_at = greatest(contact.proven_at, applicant.signed_in_at)
    from applicant where applicant.id = contact.applicant_id`,
]

export const lastProofsOfContacts: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
