import { type Language, logoutStepTimeoutMs } from '#contract/codes.ts'
import type { SessionEndReason } from '#session/session.ts'
import type { LifetimeHooks } from '#session/session-lifetime.ts'
import { wait } from '#session/wait.ts'
import { keysKeptAfterWipe, type LogoutReason, logoutReasons, urlAfterWipe } from '#store/device-use.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { Store } from '#store/store.ts'
import type { ResponseCache } from '#api/cached-call.ts'
import type { Notices } from './notices.ts'
import type { LoadedServices, Services } from './services.ts'

/** The key of the response cache under which the claims of the signed-in applicant are saved. */
export const claimsCacheName = 'session'

type Parts = Pick<Services, 'device' | 'deviceUse' | 'notices' | 'openStore' | 'pendingWrites'> & {
  /** Undefined until this page has loaded the queries. */
  queryClient: () => LoadedServices['queryClient'] | undefined
  language: { current: () => { language: Language } }
  responseCache: ResponseCache
  serverInfo: Pick<Services['serverInfo'], 'expire'>
  session: () => Pick<Services['session'], 'hasNewer'>
  goHome: () => Promise<void> | undefined
}

/**
 * Removes the applicant's key and data from this page after the end of a session, and clears a shared device (D31); the
 * exceptions are below. `answered` and `opened`: see `LifetimeHooks`.
 */
export function createOnSessionEnd(parts: Parts): LifetimeHooks['onEnd'] {
  const { device, deviceUse, language, notices, queryClient, pendingWrites } = parts

  async function clearDevice(ending: SessionEndReason, answered: Promise<unknown>, mayDelete: () => boolean) {
    const keepsDrafts = await deleteAllButLocked(parts, ending)
    const wipes = mayDelete()
    if (wipes) {
      await device.wipe({ keysToKeep: keysKeptAfterWipe, keepsDrafts })
      // The wipe has deleted the copy of the texts in IndexedDB (D64), and the answer to the log-out may make the
      // browser delete all texts. Save who uses the device after each of the two: the power may fail before the next
      // page saves it.
      deviceUse.saveAgain()
      await Promise.race([answered, wait(device, logoutStepTimeoutMs)])
      deviceUse.saveAgain()
    }
    // In a new document, because this one has the applicant's data in its memory.
    const next = {
      language: language.current().language,
      logoutReason: logoutReasonOf(wipes ? ending : 'replaced'),
    }
    device.replacePage(urlAfterWipe(deviceUse.current(), next))
  }

  return async (ending, answered, opened) => {
    // Read once: while a slow storage answers, the next person may change in another tab how the device is used.
    const isShared = deviceUse.isShared()
    // The store may still be unlocking: lock it after that, not before.
    if (opened) await opened
    // The texts and the claims belong to the newest session of the browser. They stay when another tab has begun a
    // session after that of this page.
    const mayDelete = () => ending !== 'replaced' && !parts.session().hasNewer()
    queryClient()?.clear()
    // A restore of the server ends all sessions and changes its epoch (D62): the next read must ask the server again.
    parts.serverInfo.expire()
    showEndNotice(notices, ending)
    try {
      // Save what the applicant has typed while its encryption key is still in memory.
      await pendingWrites.finish('log-out')
      if (mayDelete()) await parts.responseCache.remove(claimsCacheName)
      // The form has promised that this page keeps the answers that the device cannot save. The next sign-in of the
      // same applicant on this page shows them.
      const keepsUnsaved = !isShared && ending !== 'account-deleted'
      const store = await parts.openStore()
      if (ending === 'replaced' && isShared) await lockDrafts(store)
      if (ending === 'account-deleted') await store.erase().catch(ignoreStorageFault)
      // `endsNewer`: the newest session of the browser has ended too, so its key goes.
      await store.clearKey({ keepsUnsaved, endsNewer: ending !== 'refused' && mayDelete() })
    } finally {
      // Also when the store fails: leave the screen with the applicant's data, and remove the queries of this screen.
      await parts.goHome()
      queryClient()?.removeQueries({ type: 'inactive' })
      // Do not wipe a shared device when the server refused the session: the encrypted drafts stay for the applicant.
      if (isShared && ending !== 'refused') await clearDevice(ending, answered, mayDelete)
    }
  }
}

/**
 * Resolves to whether the wipe keeps the database of the drafts. After `lock-failed` no row is deleted, because a row
 * may hold unsent answers; after `replaced` there is no wipe. When the store does not load, or its `deleteAllButLocked`
 * throws, the wipe deletes the whole database, except after `locked` (the portal has promised that drafts stay) and
 * `erased` (a visit to a kiosk without a sign-in wrote none). Rows that stay are encrypted, and this page has dropped
 * their key.
 */
async function deleteAllButLocked({ openStore }: Parts, ending: SessionEndReason): Promise<boolean> {
  if (ending === 'lock-failed' || ending === 'replaced') return true
  const keepsOwnLocked = ending === 'locked' || ending === 'erased'
  try {
    return await (await openStore()).lockedDrafts.deleteAllButLocked({ keepsOwnLocked })
  } catch {
    return keepsOwnLocked
  }
}

/**
 * Another applicant may use the device now, so it is not cleared. The drafts stay until their applicant comes back, or
 * a start after 7 days deletes them (D31).
 */
async function lockDrafts({ drafts, lockedDrafts }: Store): Promise<void> {
  const { found } = await drafts.findAll()
  await lockedDrafts.lock(found.map(({ applicationId }) => applicationId))
}

/**
 * When the deletion of the applicant's rows fails, the rows stay encrypted until a later start or sign-in erases them;
 * this page drops their key.
 */
function ignoreStorageFault(error: unknown): void {
  if (!(error instanceof StorageFault)) throw error
}

/** Shows how the session ended. `isErased`: the device was wiped. */
export function showEndNotice(notices: Notices, ending: SessionEndReason, isErased = false): void {
  switch (ending) {
    case 'asked':
      return notices.raise('success', { key: isErased ? 'notice.loggedOutErased' : 'notice.loggedOut' })
    case 'erased':
      return notices.raise('success', { key: 'notice.erased' })
    case 'inactivity':
      return notices.raise('warning', { key: 'notice.loggedOutIdle' })
    case 'locked':
    case 'lock-failed':
      return notices.raise('warning', { key: 'notice.loggedOutLocked' })
    case 'refused':
    case 'account-deleted':
    case 'replaced':
      return notices.raise('warning', { key: 'notice.signIn' })
  }
}

/** Says which notice the new document of a shared device shows. */
function logoutReasonOf(ending: SessionEndReason): LogoutReason | undefined {
  if (ending === 'lock-failed') return 'locked'
  if (ending === 'account-deleted') return 'asked'
  // The notice of `erased` says only that the screen is cleared, which is true also without a wipe.
  if (ending === 'replaced') return 'erased'
  return logoutReasons.find(reason => reason === ending)
}
