import type { Transaction } from 'kysely'
import { nextState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import { notifyApplicantOfLostAppointment } from './notify-of-lost-appointment.ts'
import { selectAppointments } from './appointment-rows.ts'
import { hasBegun } from './change-rule.ts'
import { endAppointment } from './end-appointments.ts'

export type NoShow = 'recorded' | 'wrong-state' | 'no-appointment-time' | 'not-yet'

/**
 * Records that the applicant did not come to the appointment. A message asks the applicant to book another one, which is
 * not paid again. The caller has locked the application. `no-appointment-time`: the office did not expect the applicant, because
 * nothing is booked, or only the general queue.
 */
export async function recordNoShow(
  trx: Transaction<Schema>,
  applicationId: string,
  now: Date,
): Promise<NoShow> {
  const appointment = await selectAppointments(trx)
    .where('appointment.application_id', '=', applicationId)
    .where('appointment.state', '=', 'CONFIRMED')
    .executeTakeFirst()
  if (appointment === undefined || appointment.startsAt === null) return 'no-appointment-time'
  if (nextState(appointment.applicationState, 'no-show') === undefined) return 'wrong-state'
  if (!hasBegun(appointment, now)) return 'not-yet'
  await endAppointment(trx, appointment)
  await advanceState(trx, applicationId, 'no-show')
  await notifyApplicantOfLostAppointment(trx, appointment, 'no-show')
  return 'recorded'
}
