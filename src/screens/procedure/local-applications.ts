import { useLiveQuery } from 'dexie-react-hooks'
import { toApplicationId } from '#contract/id-text.ts'
import { useServices } from '#app/services.ts'
import { isLocal, placeholderNumber } from '#sync/local-id.ts'
import type { Application } from './application-card.tsx'

/**
 * Returns the applications that the applicant has started offline and that do not exist on the server yet (D33). Renders
 * again when the store changes. Returns an empty list until the store is read.
 */
export function useLocalApplications(): Application[] {
  const services = useServices()
  // If the store cannot be opened, the screen shows only the applications on the server.
  const readDrafts = () =>
    services.openStore().then(
      store => store.drafts.all(),
      () => noDrafts,
    )
  const localDrafts = useLiveQuery(readDrafts, [services], noDrafts)
  return localDrafts
    .filter(({ applicationId }) => isLocal(applicationId))
    .map(({ applicationId }) => ({
      id: toApplicationId(applicationId),
      applicationNumber: placeholderNumber,
      currentState: 'NEW',
      appointment: null,
    }))
}

/** Whether the server does not know this application yet. */
export function isLocalApplication({ id }: Application): boolean {
  return isLocal(id)
}

const noDrafts: [] = []
