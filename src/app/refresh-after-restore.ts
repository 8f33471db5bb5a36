import type { ApplicationData } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import { isFromBackup } from '#sync/merge-draft.ts'
import type { Services } from './services.ts'

/**
 * The server may have been restored from a backup since this device sent the answers: the form that the applicant is
 * about to confirm, `shown`, is then older than these answers. Then resolves to true and reads the server's form again,
 * so that `requireSynced` merges it (D62).
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
