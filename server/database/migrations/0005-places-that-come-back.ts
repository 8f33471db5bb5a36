import { type Migration, sql } from 'kysely'

/**
 * A place names an appointment that exists: checked at the end of a transaction, so that one statement may make both.
 * A place that was given up comes back to others a little later, and at once to whoever had it.
 */
const statements = [
  `alter table place
    add column free_from timestamptz,
    add column applicant_id uuid,
    add constraint place_of_appointment foreign key (appointment_id) references appointment
      deferrable initially deferred`,
]

export const placesThatComeBack: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
