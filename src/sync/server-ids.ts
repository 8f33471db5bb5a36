import type { ApplicationId, ApplicationNumber } from '#contract/ids.ts'
import type { Draft } from '#store/draft.ts'
import type { MoveResult } from '#store/drafts.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { DraftAccess } from './draft-access.ts'
import { afterMoved } from './merge-draft.ts'
import type { SyncEvent } from './sync-parts.ts'

/** `isExisting`: the applicant had this open application already. */
type Created = { id: ApplicationId; applicationNumber: ApplicationNumber; isExisting?: boolean | undefined }

/** The server's ids of the applications that were started under a local id (D33). */
export type ServerIds = {
  /** Moves the draft to the server's id. Returns whether a further step can run now. */
  adopt: (startedAs: string, created: Created) => Promise<boolean>
  serverIdOf: (id: string) => string
  /** Records a move that only the store knows: `adopt` has not ended yet, or another tab moved the draft. */
  learn: (localId: string, id: string) => void
}

type Parts = {
  drafts: DraftAccess
  onEvent: (event: SyncEvent) => void
  syncNow: (id: string) => Promise<void>
  retryLater: (id: string) => Promise<false>
  /** Shows the status of a draft before the store reports the change. */
  setDraft: (id: string, draft: Draft) => void
  /** What the store says of the moves of all tabs; this page knows its own moves before the store reports them. */
  storedIdOf: (id: string) => string
}

export function createServerIds(parts: Parts): ServerIds {
  const { drafts, onEvent, syncNow, retryLater, setDraft, storedIdOf } = parts
  const serverIds = new Map<string, string>()

  /**
   * `taken`: the draft under the server's id must be sent first. `not-saved`: the storage of the device failed; the draft
   * stays under its local id and keeps the key of the creation. `absent`: the draft is deleted; or the applicant has signed
   * out, and the draft stays under its local id.
   */
  async function move(startedAs: string, { id, isExisting }: Created): Promise<MoveResult | 'not-saved'> {
    try {
      const opened = await drafts.open()
      const result = await opened.move(startedAs, id, (draft, existing) =>
        afterMoved(draft, existing, isExisting),
      )
      const isMovedByOther = result === 'absent' && (await opened.resolveId(startedAs)) === id
      return isMovedByOther ? 'moved' : result
    } catch (error) {
      if (error instanceof StorageFault) return 'not-saved'
      throw error
    }
  }

  return {
    async adopt(startedAs, created) {
      const { id, applicationNumber } = created
      if (startedAs === id) {
        // The row is of an earlier release, which left the key of the creation in it: every update removes the key.
        await drafts.updateExisting(id, draft => draft)
        return true
      }
      let result = await move(startedAs, created)
      if (result === 'taken') {
        // This device has unsent changes of the applicant's open application: send those first. The second move merges.
        await syncNow(id)
        result = await move(startedAs, created)
      }
      if (result !== 'moved') return retryLater(startedAs)
      const moved = await drafts.readExisting(id)
      // The next applicant, who may have signed in since, has no such draft, and their list must not get this application (D31).
      if (!moved) return false
      // From now on the form shows the status under the server's id. Until this call, that may be the status of the draft
      // that the device had under this id before the move.
      setDraft(id, moved)
      serverIds.set(startedAs, id)
      onEvent({ kind: 'created', localId: startedAs, applicationId: id, applicationNumber })
      return true
    },
    serverIdOf: id => serverIds.get(id) ?? storedIdOf(id),
    learn: (localId, id) => void serverIds.set(localId, id),
  }
}
