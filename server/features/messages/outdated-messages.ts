import type { Kysely } from 'kysely'
import { type ApplicationState, destinationOf, mayChangeAppointment } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import type { ClaimedMessage } from './claim-due.ts'

/**
 * Whether the text of a message is no longer true, because the applicant, an office or a job has acted since it was
 * stored: it may have waited for days. These messages become outdated:
 * - the confirmation and the reminder of an appointment that is no longer booked, or whose application has failed;
 * - the reminder, when the applicant was enrolled before the appointment;
 * - a message that asks for another appointment (after a closed day or a missed one), when the application needs none
 *   any more;
 * - the warning of a deletion, when no deletion on that day is announced any more;
 * - the two messages about the deletion of an account, when the opposite was decided since.
 *
 * The message about a payment is never outdated: it proves that the money has arrived. The key of a message that can
 * become outdated names what it is about: `reminder:7:<appointment>:sms`, `appointment-confirmed:<appointment>:email`,
 * `day-closed:<appointment>:sms`, `no-show:<appointment>:sms`, `deletion:<application>:<day>:<warning>:sms`,
 * `account-deletion:<account>:<time>:phone`, `account-kept:<account>:<time>:email`.
 */
export async function isOutdated(
  db: Kysely<Schema>,
  { kind, key }: Pick<ClaimedMessage, 'kind' | 'key'>,
): Promise<boolean> {
  const parts = key.split(':')
  const [appointmentId = ''] = parts.slice(-2)
  const [cause = '', applicationId = '', day = ''] = parts
  switch (kind) {
    case 'appointment-confirmed':
      return isUuid(appointmentId) && !hasReceipt(await findBookedState(db, appointmentId))
    case 'appointment-reminder':
      return isUuid(appointmentId) && !isExpected(await findBookedState(db, appointmentId))
    case 'day-closed':
    case 'no-show':
      return isUuid(appointmentId) && !(await needsAppointment(db, appointmentId))
    case 'deletion-warning':
      return isUuid(applicationId) && !(await isAnnounced(db, applicationId, day))
    case 'security':
      return isOfDeletion(cause) && !(await isDecided(db, parts))
    default:
      return false
  }
}

function hasReceipt(state: ApplicationState | undefined): boolean {
  return state !== undefined && destinationOf(state) === 'final'
}

/** The job that stores reminders has the same rule. */
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

/** Whether the application of this earlier appointment is paid and has no appointment. */
async function needsAppointment(db: Kysely<Schema>, appointmentId: string): Promise<boolean> {
  const application = await db
    .selectFrom('application')
    .innerJoin('appointment', 'appointment.application_id', 'application.id')
    .select('application.state')
    .where('appointment.id', '=', appointmentId)
    .executeTakeFirst()
  return application !== undefined && destinationOf(application.state) === 'appointment'
}

/**
 * `day`: `YYYY-MM-DD`. `advanceState`, the confirmation of an appointment and `after-restore` withdraw the
 * announcement.
 */
async function isAnnounced(db: Kysely<Schema>, applicationId: string, day: string): Promise<boolean> {
  const application = await db
    .selectFrom('application')
    .select('deletion_day')
    .where('id', '=', applicationId)
    .executeTakeFirst()
  return application?.deletion_day === day
}

const isOfDeletion = (cause: string) => cause === 'account-deletion' || cause === 'account-kept'

/**
 * Whether the account is still to be deleted at the time that the message announces or, after `account-kept`, is still kept
 * (D112). `time`: of the announced deletion, in milliseconds since 1970.
 */
async function isDecided(
  db: Kysely<Schema>,
  [cause, applicantId = '', time]: readonly string[],
): Promise<boolean> {
  const account = await db
    .selectFrom('applicant')
    .select('deletion_at')
    .where('id', '=', applicantId)
    .executeTakeFirst()
  if (account === undefined) return false
  const { deletion_at: deletionAt } = account
  return cause === 'account-kept' ? deletionAt === null : String(deletionAt?.getTime()) === time
}
