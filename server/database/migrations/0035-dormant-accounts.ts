import { type Migration, sql } from 'kysely'

/**
 * For accounts without a sign-in for a year (D122). An older release ignores both columns (D73): it opens such an account
 * with a code alone, and stores when it did.
 */
const columns = [
  // The account that the code alone did not open, because the person must also answer a question about it; and the hash of the
  // ticket that the browser gets for the call with the answer.
  `alter table one_time_code add column dormant_applicant uuid, add column ticket_hash text`,
  `create index one_time_code_by_ticket on one_time_code (ticket_hash) where ticket_hash is not null`,
]

/**
 * The migration 0028 could not know the last sign-ins, and stored its own time in all accounts: no account has an earlier
 * `signed_in_at`. Accounts that still have this time get the latest moment at which a session of theirs is known to have been
 * open. Accounts without an application keep the time of the migration: nothing in them is worth a question, and they must not
 * be deleted earlier (D113).
 */
const lastSignIns = `
  with seen as (
    select applicant_id, created_at as at from session
    union all select applicant_id, proven_at from contact
    union all select applicant_id, changed_at from contact_change
    union all select applicant_id, created_at from application
    union all select applicant_id, payment.created_at
      from payment join application on application.id = payment.application_id
    union all select applicant_id, appointment.created_at
      from appointment join application on application.id = appointment.application_id
    union all select applicant_id, challenge.proven_at
      from challenge join contact using (kind, value) where challenge.proven_at is not null),
  known as (select applicant_id, max(at) as at from seen group by applicant_id)
  update applicant set signed_in_at = greatest(applicant.created_at, known.at) from known
  where known.applicant_id = applicant.id
    and signed_in_at = (select min(signed_in_at) from applicant)
    and greatest(applicant.created_at, known.at) < signed_in_at
    and exists (select from application where application.applicant_id = applicant.id)`

export const dormantAccounts: Migration = {
  async up(db) {
    for (const statement of [...columns, lastSignIns]) await sql.raw(statement).execute(db)
  },
}
