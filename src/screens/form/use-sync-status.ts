import { useSyncExternalStore } from 'react'
import { useServices } from '#app/services.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { useFormParams } from './form-route.ts'

/** Where this application's answers are between the phone and the server. */
export function useSyncStatus(): SyncStatus {
  const { appId } = useFormParams()
  const { sync } = useServices()
  return useSyncExternalStore(sync.subscribe, () => sync.status(appId))
}
