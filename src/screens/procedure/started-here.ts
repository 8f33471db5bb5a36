import { useSyncExternalStore } from 'react'
import { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import { useServices } from '#portal/services.ts'
import { isLocal } from '#sync/local-id.ts'
import type { Application } from './application-card.tsx'

/** Applications that were started on this device and are not on the server yet (D33). */
export function useStartedHere(): Application[] {
  const { sync } = useServices()
  const entries = useSyncExternalStore(sync.subscribe, sync.list)
  return entries
    .filter(({ applicationId }) => isLocal(applicationId))
    .map(({ applicationId }) => ({
      id: ApplicationId.parse(applicationId),
      applicationNumber: ApplicationNumber.parse('-'),
      currentState: 'NEW',
      appointment: null,
    }))
}

export function isStartedHere({ id }: Application): boolean {
  return isLocal(id)
}
