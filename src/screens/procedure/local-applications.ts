import { useObservable } from 'dexie-react-hooks'
import { toApplicationId } from '#contract/id-text.ts'
import { type Services, useServices } from '#app/services.ts'
import type { Drafts, ReadFault } from '#store/drafts.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import { isLocal } from '#sync/local-id.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { Application } from './application-card.tsx'

/**
 * Returns the applications that the applicant has started offline and that do not exist on the server yet (D33), also
 * those that the device cannot read (D74). Renders again when a draft changes, in any tab, and reads again when the fault
 * of the storage changes. Returns an empty list until the store is read.
 */
export function useLocalApplications(fault: ReadFault | undefined): Application[] {
  const services = useServices()
  return useObservable(() => observeDrafts(services), [services, fault], noDrafts)
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

type DraftList = Awaited<ReturnType<Drafts['findAll']>>['found']

const noDrafts: DraftList = []

/**
 * Emits all drafts now and after each change of a draft. A live query would miss the changes: Dexie follows a read only
 * while it waits for nothing but the database, and a draft is also decrypted.
 */
function observeDrafts({ openStore }: Pick<Services, 'openStore'>) {
  return {
    subscribe(onDrafts: (drafts: DraftList) => void) {
      let readCount = 0
      let stopWatching = doNothing
      let isStopped = false

      async function emit(drafts: Drafts) {
        readCount += 1
        const read = readCount
        const { found } = await drafts.findAll()
        // A later read may end earlier.
        if (!isStopped && read === readCount) onDrafts(found)
      }

      async function follow() {
        // If the store cannot be opened, the screen shows only the applications on the server.
        const store = await openStore().catch(doNothing)
        if (!store || isStopped) return
        stopWatching = store.drafts.watch(() => void emit(store.drafts))
        await emit(store.drafts)
      }

      void follow()
      return () => {
        isStopped = true
        stopWatching()
      }
    },
  }
}
