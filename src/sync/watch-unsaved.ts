import { isOnlyOnDevice } from './check-synced.ts'
import type { DraftAccess } from './draft-access.ts'
import type { SyncStatus, SyncStatusSource } from './sync-status.ts'

type Parts = {
  drafts: DraftAccess
  statusSource: SyncStatusSource
  /** Called with the applications of which only this page has answers. */
  setOnlyInPage: (applicationIds: readonly string[]) => void
}

/** Warns while this page alone has answers: the device could not save them, and the server does not have them yet (D31). */
export function watchUnsavedAnswers({ drafts, statusSource, setOnlyInPage }: Parts): void {
  let isWatching = false

  async function update() {
    const opened = await drafts.openIfPossible()
    if (!isWatching) opened?.watch(() => void update())
    isWatching ||= opened !== undefined
    const ids = opened?.unsavedIds() ?? []
    setOnlyInPage(ids.filter(id => isOnlyInPage(statusSource.status(id))))
  }

  statusSource.subscribe(() => void update())
}

/** Whether only this page may have the answers of an unsaved draft. */
function isOnlyInPage(status: SyncStatus): boolean {
  // A draft has no status before the first read and after the end of the session.
  if (status.kind === 'none') return true
  // The server has all answers that this page has read. The answers that the page cannot read are saved on the device.
  if (status.kind === 'unreadable' && 'draft' in status) return false
  return isOnlyOnDevice(status)
}
