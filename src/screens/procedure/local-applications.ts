import { useLiveQuery } from 'dexie-react-hooks'
import { toApplicationId } from '#contract/id-text.ts'
import { useServices } from '#app/services.ts'
import { isLocal, placeholderNumber } from '#sync/local-id.ts'
import type { Application } from './application-card.tsx'

/** Applications that were started on this device and are not on the server yet (D33). */
export function useLocalApplications(): Application[] {
  const services = useServices()
  // A browser without a store has started nothing here.
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
