import type { ApplicationId } from '#contract/ids.ts'
import { checkSynced, countUnsent, isOnlyOnDevice } from '#sync/check-synced.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import type { Services } from './services.ts'

/** The last warning that the draft cannot be read: on which screen, and when, on the monotonic clock (D74). */
const lastWarnings = new WeakMap<Services['notices'], { path: string; atMs: number }>()

/** A press within this time after the warning is part of a double press: the applicant has not read the warning. */
const readingMs = 1_000

type GateParts = Pick<
  Services,
  'connectivity' | 'device' | 'navigation' | 'notices' | 'session' | 'sync' | 'serverInfo'
>

/**
 * Resolves to true when the applicant may confirm, pay or book: the service can be reached, and it has all changes of
 * the draft that this device can read (D33, OFF08, OFF09), except unsubmitted ones if it accepts no drafts. Otherwise
 * resolves to false and shows the reason, unless the session has ended or the applicant has left the page: then the
 * action is no longer wanted (D137).
 *
 * When this device cannot read the draft, the first press on a screen shows a warning. A press at least a second later
 * is allowed, because a broken storage must not block the applicant for ever (D74). `isWarned`: the screen already
 * shows this warning. `isOlder`: what `refreshAfterRestore` has returned for the data on the screen.
 */
export async function requireSynced(
  parts: GateParts,
  appId: ApplicationId,
  { isWarned = false, isOlder = false } = {},
): Promise<boolean> {
  const { connectivity, notices, session, sync, serverInfo } = parts
  const hasEnded = session.watchEnd()
  const hasLeft = parts.navigation.watchLeaving()
  const isReachable = await connectivity.probeIfNeeded()
  // A busy service may not have said yet whether it accepts drafts: then the sync sends none.
  const info = isReachable ? await serverInfo.readAny() : undefined
  const status = isReachable ? await sync.flush(appId) : undefined
  // During these calls another applicant, who has not pressed this button, may have signed in.
  if (hasEnded() || hasLeft()) return false
  const unsent = status ? countUnsentOf(status, { info, isOlder }) : 0
  // No status: the service cannot be reached, or the code of the sync or of the store did not load, as when offline.
  const offline = connectivity.isUnreachable() || status === undefined
  const { kind } = checkSynced({ offline, unsent, unreadable: status?.kind === 'unreadable' })
  if (kind === 'allowed') lastWarnings.delete(notices)
  if (kind === 'allowed' || (kind === 'unreadable' && (isWarned || wasWarned(parts)))) return true
  notices.raise('warning', { key: noticeKeys[kind] })
  return false
}

const noticeKeys = {
  offline: 'notice.offline',
  unsent: 'notice.unsent',
  unreadable: 'notice.unreadable',
} as const

/** Whether a press on this screen has shown the warning at least `readingMs` ago. If none has, remembers this press. */
function wasWarned({ device, navigation, notices }: GateParts): boolean {
  const path = navigation.pathname()
  const last = lastWarnings.get(notices)
  if (last?.path === path) return device.monotonic() - last.atMs >= readingMs
  lastWarnings.set(notices, { path, atMs: device.monotonic() })
  return false
}

type ServerView = { info: { epoch?: string | undefined } | undefined; isOlder: boolean }

/**
 * A changed draft (`saved`: only on this device) counts as unsent until the server has said that it accepts no drafts.
 * A draft that was sent before the server was restored from a backup counts as unsent while the read of the server's
 * form fails (D62).
 */
function countUnsentOf(status: SyncStatus, { info, isOlder }: ServerView): number {
  if (status.kind === 'saved' && !info) return 1
  const hasReadFailed = status.kind === 'sent' && status.draft.attempts > 0
  return hasReadFailed && (isOlder || isOnlyOnDevice(status, info?.epoch)) ? 1 : countUnsent(status)
}

/**
 * Resolves to true when the service can be reached. Otherwise resolves to false and says that the applicant is offline
 * (OFF08). If the applicant has left the page before the answer, resolves to false without a notice (D137).
 */
export async function requireReachable({
  connectivity,
  navigation,
  notices,
}: Pick<Services, 'connectivity' | 'navigation' | 'notices'>): Promise<boolean> {
  const hasLeft = navigation.watchLeaving()
  const isReachable = await connectivity.probeIfNeeded()
  if (hasLeft()) return false
  if (!isReachable) notices.raise('warning', { key: 'notice.offline' })
  return isReachable
}
