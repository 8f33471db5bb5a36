import { type Language, logoutTimeoutMs } from '#contract/codes.ts'
import type { SessionEndReason } from '#session/session.ts'
import { urlAfterWipe, keysKeptAfterWipe, type LogoutReason } from '#store/device-use.ts'
import type { LastSeenCache } from './last-seen-cache.ts'
import type { Notices } from './notices.ts'
import type { QueryServices, Services } from './services.ts'

/** Under this name the store keeps who is signed in. */
export const claimsCacheName = 'session'

type Parts = Pick<Services, 'device' | 'deviceUse' | 'notices' | 'openStore' | 'pendingWrites'> & {
  /** None before the first screen that asks. */
  loadedQueries: () => Pick<QueryServices, 'queryClient'> | undefined
  language: { current: () => { language: Language } }
  lastSeenCache: LastSeenCache
  goHome: () => Promise<void> | undefined
}

/** What is done on this device when a session has ended (D31); `answered` settles once the server was told. */
export function createOnSessionEnd(
  parts: Parts,
): (ending: SessionEndReason, answered: Promise<unknown>) => Promise<void> {
  const { device, deviceUse, language, notices, loadedQueries, pendingWrites } = parts

  async function clearDevice(ending: SessionEndReason, answered: Promise<unknown>) {
    await device.wipe(keysKeptAfterWipe)
    await Promise.race([answered, logoutTimeout()])
    const use = deviceUse.current()
    device.replacePage(
      urlAfterWipe(use, { language: language.current().language, logoutReason: logoutReasonOf(ending) }),
    )
  }

  function logoutTimeout(): Promise<void> {
    return new Promise(resolve => void device.after(logoutTimeoutMs, resolve))
  }

  return async (ending, answered) => {
    loadedQueries()?.queryClient.clear()
    showEndNotice(notices, ending)
    try {
      // What was typed until now is written while its key is still here.
      await pendingWrites.finish()
      await parts.lastSeenCache.remove(claimsCacheName)
      await (await parts.openStore()).clearKey()
    } finally {
      // Whatever the store can do, nothing of the applicant stays on the screen, nor what that screen asked for last.
      await parts.goHome()
      loadedQueries()?.queryClient.removeQueries({ type: 'inactive' })
      // A session that ran out is no leaving: what was typed waits, sealed, for the same applicant.
      if (deviceUse.isShared() && ending !== 'refused') await clearDevice(ending, answered)
    }
  }
}

/** Tells how the session ended; after another tab's log-out there is nothing to tell. */
export function showEndNotice(notices: Notices, ending: SessionEndReason): void {
  if (ending === 'refused') notices.raise('warning', { key: 'notice.signIn' })
  if (ending === 'inactivity') notices.raise('warning', { key: 'notice.loggedOutIdle' })
  if (ending === 'asked') notices.raise('success', { key: 'notice.loggedOut' })
}

function logoutReasonOf(ending: SessionEndReason): LogoutReason | undefined {
  return ending === 'asked' || ending === 'inactivity' ? ending : undefined
}
