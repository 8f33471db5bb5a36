import { joinDayAndTime } from '#contract/appointment.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { BookingSelection } from './booking-selection.ts'

export type BookableSelection = Extract<BookingSelection, { kind: 'queue' | 'time' }>

/** The body of a booking or a change (APT15, APT16, S32), in local time of the office, never converted (S44). */
export function bookingRequest(applicationId: ApplicationId, selection: BookableSelection) {
  const { officeId } = selection
  if (selection.kind === 'queue')
    return { applicationId, officeId, appointmentDate: null, generalQueue: true }
  const appointmentDate = joinDayAndTime(selection.date, selection.time)
  return { applicationId, officeId, appointmentDate, generalQueue: false }
}
