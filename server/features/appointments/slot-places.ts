import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

export type SlotToCreate = { officeId: number; startsAt: string; capacity: number }

/** Inserts the missing place rows of a slot: at its first reservation, and when its capacity has grown. */
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

/** Frees the place of an appointment; every applicant can reserve it at once. */
export async function freePlace(db: Kysely<Schema>, appointmentId: string): Promise<void> {
  await db
    .updateTable('place')
    .set({ appointment_id: null, held_until: null, free_from: null })
    .where('appointment_id', '=', appointmentId)
    .execute()
}
