import { useLiveQuery } from 'dexie-react-hooks'
import { toApplicationId } from '#contract/id-text.ts'
import { useServices } from '#portal/services.ts'
import { isLocal, noNumber } from '#sync/local-id.ts'
import type { Application } from './application-card.tsx'

/** Applications that were started on this device and are not on the server yet (D33). */
export function useStartedHere(): Application[] {
  const services = useServices()
  // A browser without a store has started nothing here.
  const readDrafts = () =>
    services.openStore().then(
      store => store.drafts.all(),
      () => none,
    )
  const kept = useLiveQuery(readDrafts, [services], none)
  return kept
    .filter(({ applicationId }) => isLocal(applicationId))
    .map(({ applicationId }) => ({
      id: toApplicationId(applicationId),
      applicationNumber: noNumber,
      currentState: 'NEW',
      appointment: null,
    }))
}

export function isStartedHere({ id }: Application): boolean {
  return isLocal(id)
}

const none: [] = []
