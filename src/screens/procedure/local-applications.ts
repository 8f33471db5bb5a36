import { useLiveQuery } from 'dexie-react-hooks'
import { toApplicationId } from '#contract/id-text.ts'
import { useServices } from '#app/services.ts'
import { isLocal, placeholderNumber } from '#sync/local-id.ts'
import type { Application } from './application-card.tsx'

/** Returns the applications that were started on this device and do not exist on the server yet (D33). */
export function useLocalApplications(): Application[] {
  const services = useServices()
  // Without a store, no application can have been started on this device.
  const readDrafts = () =>
    services.openStore().then(
      store => store.drafts.all(),
      () => noApplications,
    )
  const localDrafts = useLiveQuery(readDrafts, [services], noApplications)
  return localDrafts
    .filter(({ applicationId }) => isLocal(applicationId))
    .map(({ applicationId }) => ({
      id: toApplicationId(applicationId),
      applicationNumber: placeholderNumber,
      currentState: 'NEW',
      appointment: null,
    }))
}

export function isLocalApplication({ id }: Application): boolean {
  return isLocal(id)
}

const noApplications: [] = []
