import { joinDayAndTime } from '#contract/appointment.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { BookingSelection } from './booking-selection.ts'

export type BookableSelection = Extract<BookingSelection, { kind: 'queue' | 'time' }>

/** The four keys of a booking and of a change (APT15, APT16, S32); the office's own time, never converted (S44). */
export function bookingRequest(applicationId: ApplicationId, selection: BookableSelection) {
  const { officeId } = selection
  if (selection.kind === 'queue')
    return { applicationId, officeId, appointmentDate: null, generalQueue: true }
  const appointmentDate = joinDayAndTime(selection.date, selection.time)
  return { applicationId, officeId, appointmentDate, generalQueue: false }
}
