import type { ApplicationId } from '#contract/ids.ts'
import { checkSynced } from '#sync/check-synced.ts'
import { countUnsent } from '#sync/count-unsent.ts'
import type { Services } from './services.ts'

/**
 * Confirming, paying and booking wait for the line, and for all that was typed to be on the server (D33, OFF08,
 * OFF09). Whoever is not let through is told why.
 */
export async function requireSynced(
  { connectivity, notices, sync }: Pick<Services, 'connectivity' | 'notices' | 'sync'>,
  appId: ApplicationId,
): Promise<boolean> {
  const status = connectivity.isUnreachable() ? undefined : await sync.flush(appId)
  const unsent = status ? countUnsent(status) : 0
  // Where nobody can say what is unsent, it is the line that keeps the sync's own file back.
  const result = checkSynced({ offline: connectivity.isUnreachable() || status === undefined, unsent })
  if (result.kind === 'open') return true
  notices.raise('warning', { key: result.kind === 'offline' ? 'notice.offline' : 'notice.unsent' })
  return false
}
