import type { Kysely } from 'kysely'
import { type ApplicationState, destinationOf, mayChangeAppointment } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import type { ClaimedMessage } from './claim-due.ts'

/**
 * Whether the text of a message is no longer true, because the applicant, an office or a job has acted since it was stored: it
 * may have waited for days. The confirmation and the reminder of an appointment are outdated when the appointment is no longer
 * booked, the reminder also when the applicant was enrolled before the appointment, the warning of a deletion when no deletion
 * on that day is announced any more. The key of such a message names what it is about: `reminder:7:<appointment>:sms`,
 * `appointment-confirmed:<appointment>:email`, `deletion:<application>:<day>:<warning>:sms`.
 */
export async function isOutdated(
  db: Kysely<Schema>,
  { kind, key }: Pick<ClaimedMessage, 'kind' | 'key'>,
): Promise<boolean> {
  const parts = key.split(':')
  const [appointmentId = ''] = parts.slice(-2)
  const [, applicationId = '', day = ''] = parts
  switch (kind) {
    case 'appointment-confirmed':
      return isUuid(appointmentId) && !hasReceipt(await findBookedState(db, appointmentId))
    case 'appointment-reminder':
      return isUuid(appointmentId) && !isExpected(await findBookedState(db, appointmentId))
    case 'deletion-warning':
      return isUuid(applicationId) && !(await isAnnounced(db, applicationId, day))
    default:
      return false
  }
}

function hasReceipt(state: ApplicationState | undefined): boolean {
  return state !== undefined && destinationOf(state) === 'final'
}

/** As for the job that stores reminders. */
function isExpected(state: ApplicationState | undefined): boolean {
  return state !== undefined && mayChangeAppointment(state)
}

/** Returns the state of the application when the appointment is booked; undefined when it is not. */
async function findBookedState(
  db: Kysely<Schema>,
  appointmentId: string,
): Promise<ApplicationState | undefined> {
  const booked = await db
    .selectFrom('appointment')
    .innerJoin('application', 'application.id', 'appointment.application_id')
    .select('application.state')
    .where('appointment.id', '=', appointmentId)
    .where('appointment.state', '=', 'CONFIRMED')
    .executeTakeFirst()
  return booked?.state
}

/** `day`: `YYYY-MM-DD`. A payment, a booking and an enrolment withdraw the announcement. */
async function isAnnounced(db: Kysely<Schema>, applicationId: string, day: string): Promise<boolean> {
  const application = await db
    .selectFrom('application')
    .select('deletion_day')
    .where('id', '=', applicationId)
    .executeTakeFirst()
  return application?.deletion_day === day
}
