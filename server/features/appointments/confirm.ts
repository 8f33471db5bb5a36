import { type Kysely, sql, type Transaction } from 'kysely'
import { endpoints } from '#contract/endpoints.ts'
import { statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { stateAfter } from '#server/features/applications/own-application.ts'
import { type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { TransactionServices } from '#server/calls/services.ts'
import { type AppointmentRow, findAppointment, lockApplicationByAppointment } from './appointment-rows.ts'
import { bookingEvents, isLiveHold, judgeUnconfirmed } from './hold-rule.ts'

/**
 * Turns a reservation into an appointment in the transaction of the call: changes the place, the appointment, the
 * appointment that it replaces and the application. Withdraws an announced deletion: if the appointment ends later, the
 * application is not deleted without new warnings. Returns true when the appointment is confirmed, also by an earlier
 * call; false when the reservation has expired or was given up, or the appointment has ended (API22, ERR22). Only the
 * call that confirms runs `afterwards`, in the same transaction, with the row of the appointment from before the
 * confirmation.
 */
export async function confirm(
  services: TransactionServices,
  caller: Caller,
  appointmentId: string,
  afterwards: (trx: Transaction<Schema>, appointment: AppointmentRow) => Promise<void>,
): Promise<boolean | Refusal> {
  const { db } = services
  const reservation = await findAppointment(db, caller, appointmentId)
  if (reservation === undefined) return refuse('not-found')
  if (isLiveHold(reservation)) {
    await lockApplicationByAppointment(db, appointmentId)
    if (await confirmHold(services, { caller, appointmentId })) {
      await afterwards(db, reservation)
      return true
    }
  }
  return explainUnconfirmed(services, caller, appointmentId)
}

/**
 * Returns whether the stored answer to a confirmation says that the appointment is booked, but the appointment has
 * ended since: it was cancelled, replaced or missed. Then `confirm` has no second effect, and returns false.
 */
export async function isConfirmationOutdated(
  db: Kysely<Schema>,
  { caller, appointmentId }: ConfirmRequest,
  storedAnswer: unknown,
): Promise<boolean> {
  if (endpoints.confirmAppointment.answer.safeParse(storedAnswer).data?.data !== true) return false
  const appointment = await findAppointment(db, caller, appointmentId)
  return appointment !== undefined && appointment.state !== 'CONFIRMED'
}

/**
 * True when confirmed already; false when expired, given up or ended; a refusal when the appointment is not found, the
 * state of the application forbids the confirmation, or the application has used all its changes.
 */
async function explainUnconfirmed(
  { db, config }: TransactionServices,
  caller: Caller,
  appointmentId: string,
): Promise<boolean | Refusal> {
  const found = await findAppointment(db, caller, appointmentId)
  if (found === undefined) return refuse('not-found')
  const judged = judgeUnconfirmed(found, config.changeLimit)
  if (judged === 'confirmed') return true
  return judged === 'expired' ? false : refuse(judged)
}

type ConfirmRequest = { caller: Caller; appointmentId: string }

/**
 * One statement, so that each step changes only the rows that the step before it returned. `count(*) >= 0` is always
 * true: it makes the database replace the old appointment before it confirms the new one, because an index allows one
 * confirmed appointment per application.
 */
async function confirmHold(
  { db, config: { freedPlaceSeconds, changeLimit } }: TransactionServices,
  { caller, appointmentId }: ConfirmRequest,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with own as (
      select id, state from application
      where id = (select application_id from appointment where id = ${appointmentId}::uuid)
        and applicant_id = ${caller.applicantId}::uuid
        and (state = any(${statesBefore('appointment-confirmed')})
          or (state = any(${statesBefore('appointment-changed')}) and changes_used < ${changeLimit}))),
    reservation as (
      select appointment.id, appointment.application_id, appointment.starts_at
      from appointment join own on own.id = appointment.application_id
      where appointment.id = ${appointmentId}::uuid and appointment.state = 'HELD'
        and appointment.held_until > now()
      for update of appointment),
    confirmed_place as (
      update place set held_until = null, free_from = null
      from reservation
      where place.appointment_id = reservation.id and place.held_until > now()
      returning place.appointment_id),
    booked as (
      select reservation.* from reservation
      where reservation.starts_at is null or exists (select from confirmed_place)),
    replaced as (
      update appointment set state = 'REPLACED'
      from booked
      where appointment.application_id = booked.application_id and appointment.state = 'CONFIRMED'
      returning appointment.id),
    freed as (
      update place set appointment_id = null,
        free_from = now() + random() * ${freedPlaceSeconds} * interval '1 second'
      from replaced
      where place.appointment_id = replaced.id),
    confirmed as (
      update appointment set state = 'CONFIRMED', held_until = null, confirmed_at = now()
      from booked
      where appointment.id = booked.id and (select count(*) from replaced) >= 0
      returning appointment.id, appointment.application_id),
    changed as (
      update application set
        state = ${stateAfter(...bookingEvents)},
        appointment_id = confirmed.id,
        changes_used = application.changes_used
          + (application.state = any(${statesBefore('appointment-changed')}))::integer,
        deletion_day = null, deletion_cause = null, deletion_warned = null, updated_at = now()
      from confirmed
      where application.id = confirmed.application_id)
    select id from confirmed`.execute(db)
  return rows.length > 0
}
