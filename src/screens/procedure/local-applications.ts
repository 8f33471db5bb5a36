import { useObservable } from 'dexie-react-hooks'
import { useState } from 'react'
import { toApplicationId } from '#contract/id-text.ts'
import { type Services, useServices } from '#app/services.ts'
import type { Drafts, ReadFault } from '#store/drafts.ts'
import { placeholderNumber } from '#contract/id-text.ts'
import { isLocal } from '#sync/local-id.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { Application } from './application-card.tsx'

/** `isUnreadable`: the device cannot read its draft (D74). */
type LocalApplication = Application & { isUnreadable: boolean }

/**
 * Returns the applications that the applicant has started offline and that do not exist on the server yet (D33), also
 * those that the device cannot read. An application that the server has created since stays until the server's id is
 * in `shownIds`, because the server's list arrives later, and the card may have the button Undo (LST11). Renders again when a
 * draft changes, in any tab, and reads again when the fault of the storage changes. Returns an empty list until the store is
 * read.
 */
export function useLocalApplications(
  fault: ReadFault | undefined,
  shownIds: readonly string[],
): LocalApplication[] {
  const services = useServices()
  const [startedIds] = useState(() => new Set<string>())
  return useObservable(() => observeStarted(services, startedIds), [services, startedIds, fault], noneStarted)
    .filter(({ currentId }) => !shownIds.includes(currentId))
    .map(({ startedAs, isUnreadable }) => ({
      isUnreadable,
      id: toApplicationId(startedAs),
      applicationNumber: placeholderNumber,
      currentState: 'NEW',
      appointment: null,
    }))
}

/** Whether the list still shows this application under its local id. The server may have created it a moment ago. */
export function isLocalApplication({ id }: Application): boolean {
  return isLocal(id)
}

/** An application with a draft on this device: its local id, and the server's id once the draft was moved to it. */
type Started = { startedAs: string; currentId: string; isUnreadable: boolean }

const noneStarted: readonly Started[] = []

/**
 * Emits the applications that were started on this device, at once and after each change of a draft. A live query would miss
 * the changes: Dexie follows a read only while it waits for nothing but the database, and a draft is also decrypted. Adds each
 * local id to `startedIds`.
 */
function observeStarted({ openStore }: Pick<Services, 'openStore'>, startedIds: Set<string>) {
  return {
    subscribe(onStarted: (started: readonly Started[]) => void) {
      let readCount = 0
      let stopWatching = doNothing
      let isStopped = false

      async function emit(drafts: Drafts) {
        readCount += 1
        const read = readCount
        const started = await readStarted(drafts, startedIds)
        // A later read may end earlier.
        if (!isStopped && read === readCount) onStarted(started)
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

async function readStarted(drafts: Drafts, startedIds: Set<string>): Promise<Started[]> {
  const { found } = await drafts.findAll()
  for (const { applicationId } of found) if (isLocal(applicationId)) startedIds.add(applicationId)
  const started = await Promise.all(
    [...startedIds].map(async startedAs => {
      const currentId = await drafts.resolveId(startedAs)
      // The draft may have moved between the two reads.
      const row = found.find(({ applicationId }) => [startedAs, currentId].includes(applicationId))
      return row && { startedAs, currentId, isUnreadable: row.draft === undefined }
    }),
  )
  return started.filter(each => each !== undefined)
}
