import { isOnlyOnDevice } from './check-synced.ts'
import type { DraftAccess } from './draft-access.ts'
import type { SyncStatusSource } from './sync-status.ts'

type Parts = {
  drafts: DraftAccess
  statusSource: SyncStatusSource
  /** Asks the applicant before the page closes, or stops asking. */
  setUnloadWarning: (active: boolean) => void
}

/** Warns while this page alone has answers: the device could not save them, and the server does not have them yet (D31). */
export function watchUnsavedAnswers({ drafts, statusSource, setUnloadWarning }: Parts): void {
  let isWatching = false

  async function update() {
    const opened = await drafts.openIfPossible()
    if (!isWatching) opened?.watch(() => void update())
    isWatching ||= opened !== undefined
    const ids = opened?.unsavedIds() ?? []
    // A draft has no status before the first read and after the end of the session: then only this page may have it.
    setUnloadWarning(ids.some(id => isWithoutStatus(id) || isOnlyOnDevice(statusSource.status(id))))
  }

  const isWithoutStatus = (id: string) => statusSource.status(id).kind === 'none'

  statusSource.subscribe(() => void update())
}
