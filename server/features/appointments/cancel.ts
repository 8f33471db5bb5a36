import type { Transaction } from 'kysely'
import { nextState } from '#contract/states.ts'
import type { Language } from '#contract/codes.ts'
import { retrying } from '#server/database/retrying.ts'
import type { Schema } from '#server/database/schema.ts'
import { moveState } from '#server/features/applications/own-application.ts'
import { type Caller, type Refusal, refuse } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { appointmentWords } from '#server/words/appointment-words.ts'
import {
  type AppointmentRow,
  endHold,
  findAppointment,
  findHold,
  isHolding,
  lockApplication,
} from './appointment-rows.ts'
import { hasBegun } from './change-rule.ts'
import { freePlace } from './take-place.ts'

/**
 * Gives up a reservation, which leaves the application and an appointment that it would have replaced as they are, or
 * a booked appointment. Cancelling again changes nothing (S33, ERR24).
 */
export async function cancel(
  services: Services,
  { caller, language, appointmentId }: { caller: Caller; language: Language; appointmentId: string },
): Promise<'canceled' | Refusal> {
  const known = await findAppointment(services.db, caller, appointmentId)
  if (known === undefined) return refuse('not-found')
  const refused = refuse('change-refused', { message: appointmentWords[language].changeRefused })
  return retrying(() =>
    services.db.transaction().execute(async trx => {
      const application = await lockApplication(trx, caller, known.applicationId)
      const appointment = await findAppointment(trx, caller, appointmentId)
      if (application === undefined || appointment === undefined) return refuse('not-found')
      if (appointment.state === 'REPLACED') return refused
      if (appointment.state === 'HELD') await giveUp(trx, appointment)
      if (appointment.state !== 'CONFIRMED') return 'canceled'
      if (!mayBeCanceled(appointment, services.clock.now())) return refused
      await cancelBooked(trx, appointment)
      return 'canceled'
    }),
  )
}

function mayBeCanceled(appointment: AppointmentRow, now: Date): boolean {
  const possible = nextState(appointment.applicationState, 'appointment-canceled') !== undefined
  return possible && !hasBegun(appointment, now)
}

async function cancelBooked(trx: Transaction<Schema>, appointment: AppointmentRow): Promise<void> {
  const change = await findHold(trx, appointment.applicationId)
  if (change !== undefined) await giveUp(trx, change)
  await trx.updateTable('appointment').set({ state: 'CANCELED' }).where('id', '=', appointment.id).execute()
  await freePlace(trx, appointment.id)
  await moveState(trx, appointment.applicationId, 'appointment-canceled')
}

async function giveUp(trx: Transaction<Schema>, hold: AppointmentRow): Promise<void> {
  // A place whose time ran out is free as it stands, and somebody may be taking it.
  if (isHolding(hold)) await freePlace(trx, hold.id)
  await endHold(trx, hold)
}
