import { type RawBuilder, sql } from 'kysely'

/** `from` and `until`: office-local date-times, both included. */
export type SlotRange = { officeId: number; from: string; until: string }

/**
 * The `from` and `where` clauses of a query over the places of an office: `slot`, `opening` and `place`, one row for
 * each row of `place`. A slot gets these rows at its first reservation (`createPlaces`). Places beyond a capacity that was
 * lowered are left out.
 */
export function placesIn({ officeId, from, until }: SlotRange): RawBuilder<unknown> {
  return sql`
    from slot
      join opening on opening.office_id = slot.office_id
        and opening.weekday = extract(isodow from slot.starts_at)
        and slot.starts_at::time >= opening.opens and slot.starts_at::time < opening.closes
      join place on place.slot_id = slot.id and place.seat <= opening.capacity
    where slot.office_id = ${officeId} and slot.starts_at between ${from}::timestamp and ${until}::timestamp`
}

/**
 * SQL: whether the time in this column of `place` is still to come. A time more than two days away counts as past: the clock
 * of the database was ahead when it was stored (D95), because no setting lets `held_until` or `free_from` be so far away.
 */
export function isToCome(column: 'held_until' | 'free_from'): RawBuilder<boolean> {
  const time = sql.ref(`place.${column}`)
  return sql`(${time} > now() and ${time} < now() + interval '2 days')`
}

/** SQL: whether a place is booked or reserved. An expired reservation does not count. */
export const isTaken = sql`(place.appointment_id is not null
  and (place.held_until is null or ${isToCome('held_until')}))`

/** SQL: whether a place is booked. A reservation does not count. */
export const isBooked = sql`(place.appointment_id is not null and place.held_until is null)`
