import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

export type SlotToOpen = { officeId: number; startsAt: string; capacity: number }

export type Taking = {
  slotId: number
  /** Seats beyond it, left from a larger capacity, are not given out. */
  capacity: number
  appointmentId: string
  holdSeconds: number
  /** The reservation that gives up its place for this one. */
  instead: string | undefined
}

export type Taken = {
  /** Whose reservation of this very place had run out. */
  ranOut: string | null
}

/** Makes the place rows of a slot when it is booked for the first time, and more when its capacity grew. */
export async function openSlot(db: Kysely<Schema>, slot: SlotToOpen): Promise<number> {
  const open = await findSlot(db, slot)
  if (open !== undefined && open.seats >= slot.capacity) return open.id
  await db
    .insertInto('slot')
    .values({ office_id: slot.officeId, starts_at: slot.startsAt })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const { id } = await db
    .selectFrom('slot')
    .select('id')
    .where('office_id', '=', slot.officeId)
    .where('starts_at', '=', slot.startsAt)
    .executeTakeFirstOrThrow()
  await sql`
    insert into place (slot_id, seat)
    select ${id}::bigint, seat from generate_series(1, ${slot.capacity}::integer) as seat
    on conflict (slot_id, seat) do nothing`.execute(db)
  return id
}

async function findSlot(
  db: Kysely<Schema>,
  { officeId, startsAt }: SlotToOpen,
): Promise<{ id: number; seats: number } | undefined> {
  const { rows } = await sql<{ id: number; seats: number }>`
    select id, (select count(*) from place where place.slot_id = slot.id) as seats
    from slot where office_id = ${officeId} and starts_at = ${startsAt}::timestamp`.execute(db)
  return rows[0]
}

/**
 * Reserves a free place of the slot and gives up the one reserved before, in one statement (D41). A place is one row,
 * so it has one holder; a reservation that ran out is free by its own date; `skip locked` keeps bookers of one slot
 * from queueing. Nothing when the slot is full: then nothing has changed.
 */
export async function takePlace(db: Kysely<Schema>, taking: Taking): Promise<Taken | undefined> {
  const { rows } = await sql<{ held_until: Date | null; ran_out: string | null }>`
    with free as (
      select slot_id, seat, appointment_id from place
      where slot_id = ${taking.slotId} and seat <= ${taking.capacity}
        and (appointment_id is null or held_until < now())
      order by seat limit 1 for update skip locked)
    update place set
      appointment_id = case when (place.slot_id, place.seat) = (free.slot_id, free.seat)
        then ${taking.appointmentId}::uuid end,
      held_until = case when (place.slot_id, place.seat) = (free.slot_id, free.seat)
        then now() + ${taking.holdSeconds} * interval '1 second' end
    from free
    where (place.slot_id, place.seat) = (free.slot_id, free.seat)
      or (place.appointment_id = ${taking.instead ?? null}::uuid and place.held_until is not null)
    returning place.held_until, free.appointment_id as ran_out`.execute(db)
  const taken = rows.find(({ held_until: heldUntil }) => heldUntil !== null)
  return taken && { ranOut: taken.ran_out }
}

/** Turns a reserved place into a booked one; false when the reservation ran out or somebody else has the place. */
export async function keepPlace(db: Kysely<Schema>, appointmentId: string): Promise<boolean> {
  const kept = await db
    .updateTable('place')
    .set({ held_until: null })
    .where('appointment_id', '=', appointmentId)
    .where('held_until', '>', sql<Date>`now()`)
    .returning('seat')
    .executeTakeFirst()
  return kept !== undefined
}

export async function freePlace(db: Kysely<Schema>, appointmentId: string): Promise<void> {
  await db
    .updateTable('place')
    .set({ appointment_id: null, held_until: null })
    .where('appointment_id', '=', appointmentId)
    .execute()
}
