import { type Migration, sql } from 'kysely'

/**
 * When the removed contact was last proven, for an undo (D122). Null when the change removed no contact, and for changes of an
 * older release.
 */
export const proofsBeforeChanges: Migration = {
  async up(db) {
    await sql`alter table contact_change add column last_proven_before timestamptz`.execute(db)
  },
}
