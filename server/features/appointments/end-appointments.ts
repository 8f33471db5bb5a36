import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type AppointmentRow, isLiveHold, selectAppointments } from './appointment-rows.ts'
import { hasBegun } from './change-rule.ts'
import { freePlace } from './slot-places.ts'

/**
 * An appointment, reserved or booked, with its application locked, for those who are not its applicant: the office
 * and the server's own jobs. Undefined when it has ended meanwhile.
 */
export async function lockLiveAppointment(
  trx: Transaction<Schema>,
  { id, applicationId }: { id: string; applicationId: string },
): Promise<AppointmentRow | undefined> {
  await trx.selectFrom('application').select('id').where('id', '=', applicationId).forUpdate().execute()
  return selectLive(trx).where('appointment.id', '=', id).executeTakeFirst()
}

/** Gives its place back; what becomes of the application is the caller's. */
export async function endAppointment(trx: Transaction<Schema>, appointment: AppointmentRow): Promise<void> {
  const ranOut = appointment.state === 'HELD' && !isLiveHold(appointment)
  await trx
    .updateTable('appointment')
    .set({ state: ranOut ? 'EXPIRED' : 'CANCELED', held_until: null })
    .where('id', '=', appointment.id)
    .execute()
  // A place whose time ran out is free as it stands, and somebody may be taking it.
  if (!ranOut) await freePlace(trx, appointment.id)
}

/** Ends what an application, which the caller has locked, still has to come. */
export async function endAppointments(
  trx: Transaction<Schema>,
  applicationId: string,
  now: Date,
): Promise<void> {
  const appointments = await selectLive(trx).where('appointment.application_id', '=', applicationId).execute()
  for (const appointment of appointments)
    if (!hasBegun(appointment, now)) await endAppointment(trx, appointment)
}

function selectLive(db: Kysely<Schema>) {
  return selectAppointments(db).where('appointment.state', 'in', ['HELD', 'CONFIRMED'])
}
