import { useSyncExternalStore } from 'react'
import { useServices } from '#portal/services.ts'
import type { Standing } from '#sync/standings.ts'
import { useFormParams } from './form-route.ts'

/** Where this application's answers are between the phone and the server. */
export function useStanding(): Standing {
  const { appId } = useFormParams()
  const { sync } = useServices()
  return useSyncExternalStore(sync.subscribe, () => sync.standing(appId))
}
