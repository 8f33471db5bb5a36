import { type Kysely, sql, type Transaction } from 'kysely'
import { nextState, statesBefore } from '#contract/states.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Schema } from '#server/database/schema.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import type { Services } from '#server/calls/services.ts'
import { notifyApplicantOfLostAppointment } from './notify-of-lost-appointment.ts'
import { hasBegun } from './change-rule.ts'
import { isLiveHold } from './hold-rule.ts'
import { endAppointment, lockApplicationAndFindAppointment } from './end-appointments.ts'

/** `day`: `2026-12-25`, on the office's own clock. */
export type OfficeDay = { officeId: number; day: string }

/** Marks the day as closed. False when it is closed already: then its first reason stays. */
export async function closeDay(
  trx: Transaction<Schema>,
  { officeId, day, reason }: OfficeDay & { reason: string },
): Promise<boolean> {
  const added = await trx
    .insertInto('closed_day')
    .values({ office_id: officeId, day, reason })
    .onConflict(conflict => conflict.doNothing())
    .returning('day')
    .executeTakeFirst()
  return added !== undefined
}

type CancelledDay = { cancelledBookings: number; endedReservations: number }

/**
 * Cancels the booked appointments of a day that the calling function has closed, notifies their applicants, and ends
 * the reservations of the day. Leaves out what has begun, and appointments of applications whose state does not allow
 * the event `day-closed`. An applicant may have reserved another day, to move an appointment of the closed day there:
 * that reservation stays, and the applicant can confirm it as a new appointment. Returns how many appointments were
 * cancelled, and how many reservations were ended that had not expired.
 */
export async function cancelDay(
  trx: Transaction<Schema>,
  { officeId, day, now }: OfficeDay & { now: Date },
): Promise<CancelledDay> {
  return cancelAppointments(trx, await listAppointments(trx, { officeId, day }), now)
}

/**
 * Maximum number of appointments that one transaction of `cancelDayInBatches` cancels. The transaction locks their
 * applications, so calls for these wait until it ends; a full day of a large office has hundreds of appointments.
 */
const batchSize = 100

/**
 * As `cancelDay`, in several transactions, each only if the day is still closed: when the day is opened again, the
 * appointments that are not cancelled yet stay. After an interrupted call `emptyClosedDays` cancels the rest.
 */
export async function cancelDayInBatches(
  db: Kysely<Schema>,
  { officeId, day, now }: OfficeDay & { now: Date },
): Promise<CancelledDay> {
  const total = { cancelledBookings: 0, endedReservations: 0 }
  const appointments = await listAppointments(db, { officeId, day })
  for (let first = 0; first < appointments.length; first += batchSize) {
    const batch = appointments.slice(first, first + batchSize)
    const cancelled = await retryOnConflict(() =>
      db.transaction().execute(async trx => {
        if (await lockClosedDay(trx, { officeId, day })) return cancelAppointments(trx, batch, now)
        return undefined
      }),
    )
    if (cancelled === undefined) return total
    total.cancelledBookings += cancelled.cancelledBookings
    total.endedReservations += cancelled.endedReservations
  }
  return total
}

/** Returns whether the day is closed. A closed day then stays closed until the transaction ends. */
async function lockClosedDay(trx: Transaction<Schema>, { officeId, day }: OfficeDay): Promise<boolean> {
  const closed = await trx
    .selectFrom('closed_day')
    .select('day')
    .where('office_id', '=', officeId)
    .where('day', '=', day)
    .forShare()
    .executeTakeFirst()
  return closed !== undefined
}

async function cancelAppointments(
  trx: Transaction<Schema>,
  appointments: readonly AppointmentOfDay[],
  now: Date,
): Promise<CancelledDay> {
  const outcome = { cancelledBookings: 0, endedReservations: 0 }
  for (const { id, applicationId } of appointments) {
    const appointment = await lockApplicationAndFindAppointment(trx, { id, applicationId })
    if (appointment === undefined || hasBegun(appointment, now)) continue
    if (appointment.state === 'HELD') {
      await endAppointment(trx, appointment)
      if (isLiveHold(appointment)) outcome.endedReservations += 1
    } else if (nextState(appointment.applicationState, 'day-closed') !== undefined) {
      await endAppointment(trx, appointment)
      await advanceState(trx, applicationId, 'day-closed')
      await notifyApplicantOfLostAppointment(trx, appointment, 'day-closed')
      outcome.cancelledBookings += 1
    }
  }
  return outcome
}

/**
 * Cancels the appointments and reservations that closed days still have, as `cancelDay`: a booking may have read the
 * calendar before its day was closed. Two processes at once cancel each appointment only once.
 */
export async function emptyClosedDays({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  for (const { office_id: officeId, day } of await listDaysToEmpty(db, clock.now()))
    await cancelDayInBatches(db, { officeId, day, now: clock.now() })
}

type AppointmentOfDay = { id: string; applicationId: string }

/** Sorted, so that two processes that empty the same day cannot deadlock. */
async function listAppointments(
  db: Kysely<Schema>,
  { officeId, day }: OfficeDay,
): Promise<AppointmentOfDay[]> {
  const { rows } = await sql<AppointmentOfDay>`
    select appointment.id, appointment.application_id as "applicationId"
    from slot
      join place on place.slot_id = slot.id
      join appointment on appointment.id = place.appointment_id
    where slot.office_id = ${officeId}
      and slot.starts_at >= ${day}::date and slot.starts_at < ${day}::date + 1
    order by appointment.application_id, appointment.id`.execute(db)
  return rows
}

/**
 * Returns the closed days that still have a reservation, or an appointment that `day-closed` may end, with a start that is
 * still ahead on the clock of the office. The comment at the start of the statement makes PostgreSQL plan it at each call
 * (preparing-client.ts): a plan that it made for small tables would scan the whole tables.
 */
async function listDaysToEmpty(db: Kysely<Schema>, now: Date): Promise<{ office_id: number; day: string }[]> {
  const { rows } = await sql<{ office_id: number; day: string }>`/* not prepared (D95) */
    select closed_day.office_id, closed_day.day
    from closed_day
      join office on office.id = closed_day.office_id
      cross join lateral (
        select from slot
          join place on place.slot_id = slot.id
          join appointment on appointment.id = place.appointment_id
          join application on application.id = appointment.application_id
        where slot.office_id = closed_day.office_id
          and slot.starts_at >= closed_day.day and slot.starts_at < closed_day.day + 1
          and slot.starts_at > ${now.toISOString()}::timestamptz at time zone office.time_zone
          and (appointment.state = 'HELD'
            or (appointment.state = 'CONFIRMED' and application.state = any (${statesBefore('day-closed')})))
        limit 1) as found
    where closed_day.day >= (${now.toISOString()}::timestamptz at time zone office.time_zone)::date`.execute(
    db,
  )
  return rows
}
