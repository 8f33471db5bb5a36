import type { Kysely } from 'kysely'
import { isOpen, nextState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import type { ClaimedMessage } from './claim-due.ts'

/**
 * Whether the text of a message is no longer true, because the applicant, an office or a job has acted since it was stored: it
 * may have waited for days. The confirmation and the reminder of an appointment are outdated when the appointment is no longer
 * booked, the warning of a deletion when the application is not deleted on that day for that cause. The key of such a message
 * names what it is about: `reminder:7:<appointment>:sms`, `appointment-confirmed:<appointment>:email`,
 * `deletion:<application>:<day>:<warning>:sms`.
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
    case 'appointment-reminder':
      return isUuid(appointmentId) && !(await isBooked(db, appointmentId))
    case 'deletion-warning':
      return isUuid(applicationId) && !(await isAnnounced(db, applicationId, day))
    default:
      return false
  }
}

async function isBooked(db: Kysely<Schema>, appointmentId: string): Promise<boolean> {
  const appointment = await db
    .selectFrom('appointment')
    .select('state')
    .where('id', '=', appointmentId)
    .executeTakeFirst()
  return appointment?.state === 'CONFIRMED'
}

/** `day`: `YYYY-MM-DD`. The columns stay as they are when the applicant pays or is enrolled, so the state decides too. */
async function isAnnounced(db: Kysely<Schema>, applicationId: string, day: string): Promise<boolean> {
  const application = await db
    .selectFrom('application')
    .select(['state', 'deletion_day', 'deletion_cause'])
    .where('id', '=', applicationId)
    .executeTakeFirst()
  if (application === undefined) return false
  const { state, deletion_day: announcedDay, deletion_cause: cause } = application
  const isSameCause = (cause === 'unpaid') === isOpen(state)
  return announcedDay === day && isSameCause && nextState(state, 'deleted') !== undefined
}
