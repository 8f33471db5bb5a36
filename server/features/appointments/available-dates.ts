import type { AnswerInput } from '#contract/endpoints.ts'
import { mayChangeAppointment } from '#contract/states.ts'
import { type ApplicationRow, findOwnApplication } from '#server/features/applications/own-application.ts'
import { findOffice } from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { changeableFrom } from './change-rule.ts'

type DatesRequest = { caller: Caller; applicationId: string; officeId: string }

/**
 * The free days of an office (API26). `changeableFrom`: if the applicant books now, an appointment that starts then or later
 * can still be changed afterwards; null when no change would be left.
 */
export async function listAvailableDates(
  { db, clock, config }: Services,
  { caller, applicationId, officeId }: DatesRequest,
): Promise<AnswerInput<'listAvailableDates'> | Refusal> {
  const application = await findOwnApplication(db, caller, applicationId)
  const office = await findOffice(db, officeId)
  if (application === undefined || office === undefined) return refuse('not-found')
  const now = clock.now()
  const next = { changesUsed: changesAfterBooking(application), timeZone: office.calendar.timeZone }
  return {
    data: {
      data: await listFreeDays(db, office, { applicantId: caller.applicantId, applicationId, now }),
      changeableFrom: changeableFrom(next, { changeLimit: config.changeLimit, now }),
    },
  }
}

/** A state that allows a change means that there is an appointment: then the booking is a change and counts as one. */
function changesAfterBooking({ state, changes_used: used }: ApplicationRow): number {
  return mayChangeAppointment(state) ? used + 1 : used
}
