import type { AppointmentId } from '#contract/ids.ts'
import { destinationOf } from '#contract/states.ts'

/** The part of a listed application that matters here. */
type Listed = { id: string; currentState: string; appointment?: { id: AppointmentId } | null | undefined }

/**
 * What stands beside the reservation: nothing yet (`fresh`), or an appointment that it would replace (`change`).
 * Only a fresh reservation is given up by Cancel, so that a booked appointment is never lost (S33).
 */
export type ReservationKind = { kind: 'fresh' } | { kind: 'change'; booked: AppointmentId | undefined }

export function reservationKindOf(applications: readonly Listed[], applicationId: string): ReservationKind {
  const application = applications.find(({ id }) => id === applicationId)
  if (application && destinationOf(application.currentState) === 'appointment') return { kind: 'fresh' }
  return { kind: 'change', booked: application?.appointment?.id }
}
