import type { AppointmentId } from '#contract/ids.ts'
import { destinationOf } from '#contract/states.ts'

type Listed = { id: string; currentState: string; appointment?: { id: AppointmentId } | null | undefined }

/**
 * `fresh`: the first reservation. `change`: the reservation would replace the appointment `booked`. Cancel releases only
 * a fresh reservation, so that a booked appointment is never lost (S33).
 */
export type ReservationKind = { kind: 'new' } | { kind: 'change'; booked: AppointmentId | undefined }

export function reservationKindOf(applications: readonly Listed[], applicationId: string): ReservationKind {
  const application = applications.find(({ id }) => id === applicationId)
  if (application && destinationOf(application.currentState) === 'appointment') return { kind: 'new' }
  return { kind: 'change', booked: application?.appointment?.id }
}
