import { type Kysely, sql, type Transaction } from 'kysely'
import { dayIn } from '#contract/dates.ts'
import { nextState, statesBefore } from '#contract/states.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import type { Services } from '#server/calls/services.ts'
import { announceClosedDay } from './announce-closed-day.ts'
import { hasBegun } from './change-rule.ts'
import { endAppointment, lockLiveAppointment } from './end-appointments.ts'

/** An office's day, `2026-12-25` on its own clock. */
export type OfficeDay = { officeId: number; day: string }

export async function closeDay(
  trx: Transaction<Schema>,
  { officeId, day, reason }: OfficeDay & { reason: string },
): Promise<void> {
  await trx
    .insertInto('closed_day')
    .values({ office_id: officeId, day, reason })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/**
 * Cancels what is booked on a day and still to come, tells the applicants, and ends the reservations of that day. An
 * applicant who is about to change to another day keeps that reservation, and confirms it as a new appointment.
 */
export async function cancelDay(
  trx: Transaction<Schema>,
  { officeId, day, now }: OfficeDay & { now: Date },
): Promise<{ canceled: number; freed: number }> {
  const outcome = { canceled: 0, freed: 0 }
  for (const { id, applicationId } of await listHolders(trx, { officeId, day })) {
    const appointment = await lockLiveAppointment(trx, { id, applicationId })
    if (appointment === undefined || hasBegun(appointment, now)) continue
    if (appointment.state === 'HELD') {
      await endAppointment(trx, appointment)
      outcome.freed += 1
    } else if (nextState(appointment.applicationState, 'day-closed') !== undefined) {
      await endAppointment(trx, appointment)
      await advanceState(trx, applicationId, 'day-closed')
      await announceClosedDay(trx, appointment)
      outcome.canceled += 1
    }
  }
  return outcome
}

/**
 * Cancels what was still booked while its day was being closed: whoever had read the calendar before could take a
 * place after. Run now and then by every server; two that meet find each appointment once.
 */
export async function emptyClosedDays({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  for (const { office_id: officeId, day } of await listClosedWithBookings(db, clock.now()))
    await retryOnConflict(() =>
      db.transaction().execute(trx => cancelDay(trx, { officeId, day, now: clock.now() })),
    )
}

/** In one order everywhere, so that two that empty a day do not wait for each other. */
async function listHolders(
  trx: Transaction<Schema>,
  { officeId, day }: OfficeDay,
): Promise<{ id: string; applicationId: string }[]> {
  const { rows } = await sql<{ id: string; applicationId: string }>`
    select appointment.id, appointment.application_id as "applicationId"
    from slot
      join place on place.slot_id = slot.id
      join appointment on appointment.id = place.appointment_id
    where slot.office_id = ${officeId}
      and slot.starts_at >= ${day}::date and slot.starts_at < ${day}::date + 1
    order by appointment.application_id, appointment.id`.execute(trx)
  return rows
}

async function listClosedWithBookings(
  db: Kysely<Schema>,
  now: Date,
): Promise<{ office_id: number; day: string }[]> {
  const { rows } = await sql<{ office_id: number; day: string }>`
    select distinct closed_day.office_id, closed_day.day
    from closed_day
      join slot on slot.office_id = closed_day.office_id
        and slot.starts_at >= closed_day.day and slot.starts_at < closed_day.day + 1
      join place on place.slot_id = slot.id
      join appointment on appointment.id = place.appointment_id
      join application on application.id = appointment.application_id
    where closed_day.day >= ${dayIn('UTC', now)}::date
      and (appointment.state = 'HELD'
        or (appointment.state = 'CONFIRMED' and application.state = any (${statesBefore('day-closed')})))`.execute(
    db,
  )
  return rows
}
