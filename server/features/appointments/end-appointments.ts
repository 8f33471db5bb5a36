import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type AppointmentRow, selectAppointments } from './appointment-rows.ts'
import { isLiveHold } from './hold-rule.ts'
import { hasBegun } from './change-rule.ts'
import { freePlace } from './slot-places.ts'

/**
 * Locks the application, then returns its appointment in the state CONFIRMED or HELD; the hold may have expired. Undefined
 * in any other state. For the office and the server's jobs only, because the function does not check the applicant.
 */
export async function lockApplicationAndFindAppointment(
  trx: Transaction<Schema>,
  { id, applicationId }: { id: string; applicationId: string },
): Promise<AppointmentRow | undefined> {
  await trx.selectFrom('application').select('id').where('id', '=', applicationId).forUpdate().execute()
  return selectHeldOrConfirmed(trx).where('appointment.id', '=', id).executeTakeFirst()
}

/**
 * Ends the appointment and frees its place, unless it is an expired hold. Leaves the state of the application to the
 * caller.
 */
export async function endAppointment(trx: Transaction<Schema>, appointment: AppointmentRow): Promise<void> {
  const ranOut = appointment.state === 'HELD' && !isLiveHold(appointment)
  await trx
    .updateTable('appointment')
    .set({ state: ranOut ? 'EXPIRED' : 'CANCELED', held_until: null })
    .where('id', '=', appointment.id)
    .execute()
  // The place of an expired reservation becomes free for others by itself, at its `free_from`, and another applicant
  // may have reserved it by now.
  if (!ranOut) await freePlace(trx, appointment.id)
}

/**
 * Ends the appointment and the reservation of an application, except one that has begun. One in the general queue has
 * no time, so it always ends. The caller has locked the application.
 */
export async function endAppointments(
  trx: Transaction<Schema>,
  applicationId: string,
  now: Date,
): Promise<void> {
  const appointments = await selectHeldOrConfirmed(trx)
    .where('appointment.application_id', '=', applicationId)
    .execute()
  for (const appointment of appointments)
    if (!hasBegun(appointment, now)) await endAppointment(trx, appointment)
}

function selectHeldOrConfirmed(db: Kysely<Schema>) {
  return selectAppointments(db).where('appointment.state', 'in', ['HELD', 'CONFIRMED'])
}
