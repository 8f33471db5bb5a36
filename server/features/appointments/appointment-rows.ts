import { type Kysely, sql, type Transaction } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import type { AppointmentState, Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import type { Caller } from '#server/http/call.ts'
import type { Booked } from './change-rule.ts'

export type LockedApplication = { id: string; state: ApplicationState; changesUsed: number }

/**
 * The caller's own application, locked: all that happens to its appointments happens one after another, whatever the
 * number of tabs and processes. Bookers of different applications do not meet here.
 */
export async function lockApplication(
  trx: Transaction<Schema>,
  caller: Caller,
  id: string,
): Promise<LockedApplication | undefined> {
  if (!isUuid(id)) return undefined
  return trx
    .selectFrom('application')
    .select(['id', 'state', 'changes_used as changesUsed'])
    .where('id', '=', id)
    .where('applicant_id', '=', caller.applicantId)
    .forUpdate()
    .executeTakeFirst()
}

export type AppointmentRow = Booked & {
  id: string
  applicationId: string
  officeId: number
  generalQueue: boolean
  state: AppointmentState
  replaces: string | null
  /** Of a reservation: the seconds it still holds, none when it ran out. */
  secondsLeft: number | null
}

/** An appointment of the caller; undefined alike when it is another's, is missing, or its id is none at all. */
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

/** The one reservation of an application, which may have run out. */
export async function findHold(
  db: Kysely<Schema>,
  applicationId: string,
): Promise<AppointmentRow | undefined> {
  return selectAppointments(db)
    .where('appointment.application_id', '=', applicationId)
    .where('appointment.state', '=', 'HELD')
    .executeTakeFirst()
}

export function isHolding({ state, secondsLeft }: AppointmentRow): boolean {
  return state === 'HELD' && secondsLeft !== null && secondsLeft > 0
}

/** Ends a reservation that nobody confirms any more. */
export async function endHold(trx: Transaction<Schema>, hold: AppointmentRow): Promise<void> {
  await trx
    .updateTable('appointment')
    .set({ state: isHolding(hold) ? 'CANCELED' : 'EXPIRED', held_until: null })
    .where('id', '=', hold.id)
    .where('state', '=', 'HELD')
    .execute()
}

/**
 * Notes that a reservation ran out, now that its place is another's. Whoever has the row locked is ending it himself,
 * so nothing waits here.
 */
export async function expireHold(trx: Transaction<Schema>, appointmentId: string): Promise<void> {
  await trx
    .updateTable('appointment')
    .set({ state: 'EXPIRED', held_until: null })
    .where('id', '=', row =>
      row
        .selectFrom('appointment')
        .select('id')
        .where('id', '=', appointmentId)
        .where('state', '=', 'HELD')
        .forUpdate()
        .skipLocked(),
    )
    .execute()
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
