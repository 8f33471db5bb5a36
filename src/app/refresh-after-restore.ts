import type { ApplicationData } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { isFromBackup } from '#sync/merge-draft.ts'
import type { Services } from './services.ts'

/**
 * `shown`: the form that the applicant is about to confirm. If the server was restored from a backup, this form may be
 * older than the base of the draft (`isFromBackup`). Then resolves to true and starts to read the server's form again,
 * so that the sync in `requireSynced` merges that form with the draft (D62).
 */
export async function refreshAfterRestore(
  { sync }: Pick<Services, 'sync'>,
  appId: ApplicationId,
  shown: Pick<ApplicationData, 'version' | 'epoch'>,
): Promise<boolean> {
  const status = await sync.read(appId)
  const isOlder = 'draft' in status && isFromBackup(shown, status.draft.base)
  if (isOlder) sync.refresh(appId)
  return isOlder
}
