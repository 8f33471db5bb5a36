import { sql, type Transaction } from 'kysely'
import { type ApplicationState, nextState } from '#contract/states.ts'
import { retrying } from '#server/database/retrying.ts'
import type { Schema } from '#server/database/schema.ts'
import { moveState } from '#server/features/applications/own-application.ts'
import { type Caller, type Refusal, refuse } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { type AppointmentRow, findAppointment, isHolding, lockApplication } from './appointment-rows.ts'
import { freePlace, keepPlace } from './take-place.ts'

/**
 * Turns a reservation into an appointment, whole or not at all: the place, the appointment, the one it replaces, the
 * application. False when the reservation is no more (API22, ERR22); confirming again is true again.
 */
export async function confirm(
  services: Services,
  caller: Caller,
  appointmentId: string,
  afterwards: (trx: Transaction<Schema>, appointment: AppointmentRow) => Promise<void>,
): Promise<boolean | Refusal> {
  const known = await findAppointment(services.db, caller, appointmentId)
  if (known === undefined) return refuse('not-found')
  return retrying(() =>
    services.db.transaction().execute(async trx => {
      const application = await lockApplication(trx, caller, known.applicationId)
      const appointment = await findAppointment(trx, caller, appointmentId)
      if (application === undefined || appointment === undefined) return refuse('not-found')
      if (appointment.state === 'CONFIRMED') return true
      if (!isHolding(appointment)) return false
      const event = eventIn(application.state)
      if (event === undefined) return refuse('wrong-state')
      if (appointment.startsAt !== null && !(await keepPlace(trx, appointmentId))) return false
      await replaceBooked(trx, application.id)
      await confirmRow(trx, appointmentId)
      await moveState(trx, application.id, event)
      await noteOnApplication(trx, appointment, event)
      await afterwards(trx, appointment)
      return true
    }),
  )
}

type Confirmed = 'appointment-confirmed' | 'appointment-changed'

function eventIn(state: ApplicationState): Confirmed | undefined {
  const events = ['appointment-confirmed', 'appointment-changed'] as const
  return events.find(event => nextState(state, event) !== undefined)
}

async function replaceBooked(trx: Transaction<Schema>, applicationId: string): Promise<void> {
  const replaced = await trx
    .updateTable('appointment')
    .set({ state: 'REPLACED' })
    .where('application_id', '=', applicationId)
    .where('state', '=', 'CONFIRMED')
    .returning('id')
    .executeTakeFirst()
  if (replaced !== undefined) await freePlace(trx, replaced.id)
}

async function confirmRow(trx: Transaction<Schema>, appointmentId: string): Promise<void> {
  await trx
    .updateTable('appointment')
    .set({ state: 'CONFIRMED', held_until: null, confirmed_at: sql<Date>`now()` })
    .where('id', '=', appointmentId)
    .where('state', '=', 'HELD')
    .returning('id')
    // Nobody else can have ended it: the application is locked, and the place is kept.
    .executeTakeFirstOrThrow()
}

async function noteOnApplication(
  trx: Transaction<Schema>,
  { id, applicationId }: AppointmentRow,
  event: Confirmed,
): Promise<void> {
  await trx
    .updateTable('application')
    .set(row => ({
      appointment_id: id,
      changes_used: row('changes_used', '+', event === 'appointment-changed' ? 1 : 0),
    }))
    .where('id', '=', applicationId)
    .execute()
}
