import { toApplicationId } from '#contract/id-text.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { DraftAccess } from './draft-access.ts'
import { afterMoved } from './draft-reducer.ts'
import type { SyncEvent } from './sync-parts.ts'

/** Local and server ids of the applications that this page has created (D33). */
export type ServerIds = {
  /** Moves the draft to the server's id. Returns whether a further step can run now. */
  adopt: (startedAs: string, created: { id: ApplicationId; applicationNumber: string }) => Promise<boolean>
  serverIdOf: (id: string) => string
  localIdOf: (id: ApplicationId) => ApplicationId
}

type Parts = {
  drafts: DraftAccess
  onEvent: (event: SyncEvent) => void
  syncNow: (id: string) => Promise<void>
  retryLater: (id: string) => Promise<false>
}

export function createServerIds({ drafts, onEvent, syncNow, retryLater }: Parts): ServerIds {
  const localIds = new Map<string, ApplicationId>()
  const serverIds = new Map<string, string>()

  return {
    async adopt(startedAs, { id, applicationNumber }) {
      const opened = await drafts.open()
      if ((await opened.move(startedAs, id, afterMoved)) === 'taken') {
        // The applicant has an open application with unsent changes on this device: send those first, then merge.
        await syncNow(id)
        if ((await opened.move(startedAs, id, afterMoved)) === 'taken') return retryLater(startedAs)
      }
      localIds.set(id, toApplicationId(startedAs))
      serverIds.set(startedAs, id)
      onEvent({ kind: 'created', localId: startedAs, applicationId: id, applicationNumber })
      return true
    },
    serverIdOf: id => serverIds.get(id) ?? id,
    localIdOf: id => localIds.get(id) ?? id,
  }
}
