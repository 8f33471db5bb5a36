import type { AppointmentId } from '#contract/ids.ts'
import { destinationOf } from '#contract/states.ts'

type ListedApplication = {
  id: string
  currentState: string
  appointment?: { id: AppointmentId } | null | undefined
}

/**
 * `new`: the application is paid and has no booked appointment. `change`: this reservation may replace a booked one
 * (`booked`, when it is known). The button Cancel releases only a new reservation, so that the applicant never loses a
 * booked appointment (S33).
 */
export type ReservationKind = { kind: 'new' } | { kind: 'change'; booked: AppointmentId | undefined }

/** Returns `change` when the application or its state is unknown, because Cancel then releases nothing. */
export function reservationKindOf(
  applications: readonly ListedApplication[],
  applicationId: string,
): ReservationKind {
  const application = applications.find(({ id }) => id === applicationId)
  // The next screen of an application is the booking only while it has no booked appointment.
  if (application && destinationOf(application.currentState) === 'appointment') return { kind: 'new' }
  return { kind: 'change', booked: application?.appointment?.id }
}
