import type { DeviceUse } from '#store/device-use.ts'

/** Only on one's own phone, and only when something is achieved: an application's data are with the service. */
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
