import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

export type SlotToCreate = { officeId: number; startsAt: string; capacity: number }

/** Makes the place rows of a slot when it is booked for the first time, and more when its capacity grew. */
export async function createPlaces(
  db: Kysely<Schema>,
  { officeId, startsAt, capacity }: SlotToCreate,
): Promise<void> {
  await sql`
    insert into slot (office_id, starts_at) values (${officeId}, ${startsAt}::timestamp)
    on conflict (office_id, starts_at) do nothing`.execute(db)
  await sql`
    insert into place (slot_id, seat)
    select slot.id, seat from slot, generate_series(1, ${capacity}::integer) as seat
    where slot.office_id = ${officeId} and slot.starts_at = ${startsAt}::timestamp
    on conflict (slot_id, seat) do nothing`.execute(db)
}

/** Gives a place back, to be taken at once. */
export async function freePlace(db: Kysely<Schema>, appointmentId: string): Promise<void> {
  await db
    .updateTable('place')
    .set({ appointment_id: null, held_until: null, free_from: null })
    .where('appointment_id', '=', appointmentId)
    .execute()
}
