import type { ApplicationData } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { isFromBackup } from '#sync/merge-draft.ts'
import type { Services } from './services.ts'

/**
 * The server may have been restored from a backup since this device sent the answers: `shown`, which the applicant is about
 * to confirm, is then older than they are. This reads the server's form again, so that `requireSynced` merges it (D62).
 * Resolves to true when `shown` is older.
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
