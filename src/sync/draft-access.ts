import type { Session } from '#session/session.ts'
import type { Draft } from '#store/draft.ts'
import type { Change, Drafts, SaveResult } from '#store/drafts.ts'
import type { ChangeCause } from '#store/revision-rule.ts'
import { isLocal } from './local-id.ts'

/** The drafts of this device under any id of an application: the local one, or the server's. */
export type DraftAccess = {
  /** @throws when the code of the store does not load. A storage that fails shows at the first use of the drafts. */
  open: () => Promise<Drafts>
  /** Undefined when the code of the store does not load. */
  openIfPossible: () => Promise<Drafts | undefined>
  /**
   * The server's id, once the draft of a local id was moved to it; every other id as it is.
   * @throws like `open`, but only for a local id
   */
  resolveId: (id: string) => Promise<string>
  update: (id: string, change: Change, cause?: ChangeCause) => Promise<SaveResult>
  /**
   * Changes a draft that exists, and creates none. Resolves to undefined when the session has ended during the write: what the
   * sync then says or calls would reach the next applicant (D31).
   */
  updateExisting: (id: string, change: (draft: Draft) => Draft) => Promise<SaveResult | undefined>
  /** Reads a draft. Undefined without one that can be read, and when the session has ended during the read. */
  readExisting: (id: string) => Promise<Draft | undefined>
}

export function createDraftAccess(
  open: () => Promise<Drafts>,
  session: Pick<Session, 'watchEnd'>,
): DraftAccess {
  const openIfPossible = () => open().catch(() => undefined)

  async function resolveId(id: string): Promise<string> {
    return isLocal(id) ? (await open()).resolveId(id) : id
  }

  async function update(id: string, change: Change, cause?: ChangeCause): Promise<SaveResult> {
    const drafts = await openIfPossible()
    // Without the code of the store the form says that this browser cannot save.
    if (!drafts) return { kind: 'not-saved', reason: 'refused', draft: undefined }
    const resolvedId = await resolveId(id)
    const changeThere: Change = isLocal(resolvedId) ? change : draft => withoutCreate(change(draft))
    return drafts.update(resolvedId, changeThere, cause)
  }

  async function updateExisting(id: string, change: (draft: Draft) => Draft) {
    const hasEnded = session.watchEnd()
    const saved = await update(id, draft => draft && change(draft))
    return hasEnded() ? undefined : saved
  }

  return {
    open,
    openIfPossible,
    resolveId,
    update,
    updateExisting,
    readExisting: async id => (await updateExisting(id, draft => draft))?.draft,
  }
}

/**
 * Removes the key of the creation. Call it for a draft under the server's id: the application exists. A form that is
 * still open under the local id has the key and would write it back; the sync would then create a second application,
 * or repeat the creation for ever.
 */
function withoutCreate(draft: Draft | undefined): Draft | undefined {
  if (!draft?.create) return draft
  const { create: _, ...rest } = draft
  return rest
}
