import { type Migration, sql } from 'kysely'

/** The last proof of a removed contact, for an undo (D122). Null for changes of an older release. */
export const proofsBeforeChanges: Migration = {
  async up(db) {
    await sql`alter table contact_change add column last_proven_before timestamptz`.execute(db)
  },
}
