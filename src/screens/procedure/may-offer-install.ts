import type { DeviceUse } from '#store/device-use.ts'

/** Whether to offer the installation: on the applicant's own device, once an application was confirmed (OFF01). */
export function mayOfferInstall({
  use,
  applications,
}: {
  use: DeviceUse
  applications: readonly { currentState: string }[]
}): boolean {
  return use.kind === 'own' && applications.some(({ currentState }) => finishedStates.has(currentState))
}

const finishedStates = new Set([
  'DATA_SAVED',
  'PAYMENT_DONE',
  'APPOINTMENT_SCHEDULED',
  'APPOINTMENT_CHANGED',
  'READY_FOR_CM',
  'SENT_TO_CM',
])
