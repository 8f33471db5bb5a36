import type { DeviceUse } from '#store/device-use.ts'

/** Whether to offer the installation (OFF01): on the applicant's own device, with an application in `statesWithOffer`. */
export function mayOfferInstall({
  use,
  applications,
}: {
  use: DeviceUse
  applications: readonly { currentState: string }[]
}): boolean {
  return use.kind === 'own' && applications.some(({ currentState }) => statesWithOffer.has(currentState))
}

/** The applicant has confirmed the form. Not after a cancelled or missed appointment, a failure or a deletion. */
const statesWithOffer = new Set([
  'DATA_SAVED',
  'PAYMENT_DONE',
  'APPOINTMENT_SCHEDULED',
  'APPOINTMENT_CHANGED',
  'READY_FOR_CM',
  'SENT_TO_CM',
])
