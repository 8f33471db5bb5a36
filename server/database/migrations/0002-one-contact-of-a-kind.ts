import { type Migration, sql } from 'kysely'

/** An applicant has at most one phone and one e-mail, because the form has one field for each. */
const statements = [
  `create unique index one_contact_of_a_kind on contact (applicant_id, kind)`,
  `drop index contact_of_applicant`,
]

export const oneContactOfAKind: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
