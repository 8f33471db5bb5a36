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
  async function update() {
    const opened = await drafts.openIfPossible()
    const ids = opened?.unsavedIds() ?? []
    setUnloadWarning(ids.some(id => isOnlyOnDevice(statusSource.status(id))))
  }

  statusSource.subscribe(() => void update())
}
