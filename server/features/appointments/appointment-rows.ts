import { type Kysely, sql, type Transaction } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import type { AppointmentState, Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import type { Caller } from '#server/calls/call.ts'
import type { BookedAppointment } from './change-rule.ts'

export type AppointmentRow = BookedAppointment & {
  id: string
  applicationId: string
  officeId: number
  generalQueue: boolean
  state: AppointmentState
  replaces: string | null
  /** Seconds until the hold expires: 0 or less when it has expired. Null when the appointment is booked or ended. */
  secondsLeft: number | null
}

/**
 * Returns an appointment of the caller. Undefined when there is none, when another applicant has it, or when `id` is no
 * UUID: the caller cannot tell these cases apart.
 */
export async function findAppointment(
  db: Kysely<Schema>,
  caller: Caller,
  id: string,
): Promise<AppointmentRow | undefined> {
  if (!isUuid(id)) return undefined
  return selectAppointments(db)
    .where('appointment.id', '=', id)
    .where('application.applicant_id', '=', caller.applicantId)
    .executeTakeFirst()
}

/**
 * Locks the application of an appointment, so that the transactions that confirm and end the appointment run one after
 * the other, and each sees what the one before wrote. Calls for other applications do not wait for this lock.
 */
export async function lockApplicationByAppointment(
  trx: Transaction<Schema>,
  appointmentId: string,
): Promise<void> {
  await sql`
    select from application
    where id = (select application_id from appointment where id = ${appointmentId}::uuid)
    for update`.execute(trx)
}

export type BookingApplication = {
  id: string
  state: ApplicationState
  /** The hold that has not expired. */
  hold: { id: string; officeId: number; startsAt: string | null; replaces: string | null } | undefined
}

/** Returns the caller's own application and its hold. Undefined when the caller has no such application. */
export async function findBookingApplication(
  db: Kysely<Schema>,
  caller: Caller,
  id: string,
): Promise<BookingApplication | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql<{
    state: ApplicationState
    hold_id: string | null
    office_id: number
    starts_at: string | null
    replaces: string | null
  }>`
    select application.state, hold.id as hold_id, hold.office_id, hold.starts_at, hold.replaces
    from application
      left join appointment as hold on hold.application_id = application.id
        and hold.state = 'HELD' and hold.held_until > now()
    where application.id = ${id} and application.applicant_id = ${caller.applicantId}`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { hold_id: holdId, office_id: officeId, starts_at: startsAt, replaces } = row
  return {
    id,
    state: row.state,
    hold: holdId === null ? undefined : { id: holdId, officeId, startsAt, replaces },
  }
}

/** Returns the hold of an application. The hold may have expired. */
export async function findHold(
  db: Kysely<Schema>,
  applicationId: string,
): Promise<AppointmentRow | undefined> {
  return selectAppointments(db)
    .where('appointment.application_id', '=', applicationId)
    .where('appointment.state', '=', 'HELD')
    .executeTakeFirst()
}

export function selectAppointments(db: Kysely<Schema>) {
  return db
    .selectFrom('appointment')
    .innerJoin('application', 'application.id', 'appointment.application_id')
    .innerJoin('office', 'office.id', 'appointment.office_id')
    .select([
      'appointment.id',
      'appointment.application_id as applicationId',
      'appointment.office_id as officeId',
      'appointment.starts_at as startsAt',
      'appointment.general_queue as generalQueue',
      'appointment.state',
      'appointment.replaces',
      'application.state as applicationState',
      'application.changes_used as changesUsed',
      'office.time_zone as timeZone',
      sql<number | null>`ceil(extract(epoch from appointment.held_until - now()))::integer`.as('secondsLeft'),
    ])
}
