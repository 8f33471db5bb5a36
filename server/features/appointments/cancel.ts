import { sql } from 'kysely'
import type { Language } from '#contract/codes.ts'
import { statesBefore } from '#contract/states.ts'
import { stateAfter } from '#server/features/applications/own-application.ts'
import { type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { TransactionServices } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { findAppointment, lockApplicationByAppointment } from './appointment-rows.ts'
import { mayChange } from './change-rule.ts'

type CancelRequest = {
  caller: Caller
  language: Language
  appointmentId: string
  /** Refuses when the appointment is booked by now: another device may have confirmed the reservation. */
  onlyHold?: boolean
}

/**
 * Cancels a reservation or a booked appointment. Cancelling a reservation changes neither the application nor the
 * appointment that it would have replaced. Cancelling a booked appointment also ends the reservation of its change, and
 * uses up one change, because the applicant can then book again. A second cancellation changes nothing (S33, ERR24).
 */
export async function cancel(
  services: TransactionServices,
  request: CancelRequest,
): Promise<'canceled' | Refusal> {
  const { db, config, clock } = services
  const { caller, language, appointmentId } = request
  const refusal = refuse('change-refused', { message: translateTo(language)('appointment.changeRefused') })
  if ((await findAppointment(db, caller, appointmentId)) === undefined) return refuse('not-found')
  await lockApplicationByAppointment(db, appointmentId)
  // Under the lock, because a reservation that was read before may have become an appointment.
  const current = await findAppointment(db, caller, appointmentId)
  const rule = { changeLimit: config.changeLimit, now: clock.now() }
  if (current?.state === 'CONFIRMED' && (request.onlyHold || !mayChange(current, rule))) return refusal
  await endHeldOrConfirmed(services, request)
  await deleteAnswers(services, request)
  const after = await findAppointment(db, caller, appointmentId)
  return after?.state === 'CONFIRMED' || after?.state === 'REPLACED' ? refusal : 'canceled'
}

/**
 * Leaves the place of an expired reservation as it is: the place becomes free for others by itself, at its `free_from`,
 * and another applicant may have reserved it by now.
 */
async function endHeldOrConfirmed(
  { db, config }: TransactionServices,
  { caller, appointmentId }: CancelRequest,
): Promise<void> {
  await sql`
    with own as (
      select id, state, changes_used from application
      where id = (select application_id from appointment where id = ${appointmentId}::uuid)
        and applicant_id = ${caller.applicantId}::uuid),
    given_up as (
      select appointment.id, appointment.application_id, appointment.state as was
      from appointment join own on own.id = appointment.application_id
      where appointment.id = ${appointmentId}::uuid and (appointment.state = 'HELD'
        or (appointment.state = 'CONFIRMED' and own.changes_used < ${config.changeLimit}
          and own.state = any(${statesBefore('appointment-canceled')})))
      for update of appointment),
    ended as (
      update appointment set held_until = null,
        state = case when appointment.held_until <= now() then 'EXPIRED' else 'CANCELED' end
      from given_up
      where appointment.application_id = given_up.application_id
        and (appointment.id = given_up.id or (given_up.was = 'CONFIRMED' and appointment.state = 'HELD'))
      returning appointment.id),
    freed as (
      update place set appointment_id = null, held_until = null, applicant_id = ${caller.applicantId}::uuid,
        free_from = now() + random() * ${config.freedPlaceSeconds} * interval '1 second'
      from ended
      where place.appointment_id = ended.id and (place.held_until is null or place.held_until > now()))
    update application set state = ${stateAfter('appointment-canceled')},
      changes_used = application.changes_used + 1, updated_at = now()
    from given_up
    where application.id = given_up.application_id and given_up.was = 'CONFIRMED'`.execute(db)
}

/**
 * Deletes the stored answers to the calls that reserved or cancelled this appointment, or one that was to replace it,
 * where that appointment has ended. So a retry of a reservation with its old key reserves again or is refused, and does
 * not repeat the id. A retry of a cancellation runs again and changes nothing.
 */
async function deleteAnswers(
  { db }: TransactionServices,
  { caller: { applicantId }, appointmentId }: CancelRequest,
): Promise<void> {
  await sql`
    delete from idempotency
    where scope in (${`${applicantId} createAppointment`}, ${`${applicantId} updateAppointment`})
      and answer->'data'->>'id' in (
        select id::text from appointment
        where application_id = (select application_id from appointment where id = ${appointmentId}::uuid)
          and (id = ${appointmentId}::uuid or replaces = ${appointmentId}::uuid)
          and state in ('CANCELED', 'EXPIRED'))`.execute(db)
}
