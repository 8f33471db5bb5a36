import { type Migration, sql } from 'kysely'

/** Lets a browser repeat a sign-in whose answer was lost. An older release ignores both columns (D73). */
const statements = [
  // `opened_token`: hash of the first refresh token of the session that the code opened.
  `alter table one_time_code add column opened_token text`,
  // `first_used_at`: when a call first used an access token of the session.
  `alter table session add column first_used_at timestamptz`,
]

export const repeatedSignIn: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
