import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

/** Returns the seats of the places that an appointment has taken, in no order. */
export function readTakenPlaces(db: Kysely<Schema>) {
  return db.selectFrom('place').select('seat').where('appointment_id', 'is not', null).execute()
}
