import { type Migration, sql } from 'kysely'

/**
 * A place references an appointment that exists. The check is deferred, so that one statement can insert the appointment
 * and give it its place. The last applicant of a place that was given up, `applicant_id`, can reserve it at once, all
 * others from `free_from` on.
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
