import type { Device } from '#device/device.ts'
import { holdLock } from './hold-lock.ts'
import { type PendingLogout, retryDelayMs, signInLock } from './pending-logout.ts'
import type { SessionFlag } from './session-flag.ts'
import { isSignedIn, type SessionStore } from './session-state.ts'

type Parts = {
  device: LeaveDevice & Pick<Device, 'after' | 'withLock' | 'isLockHeld'>
  isShared: () => boolean
  store: SessionStore
  flag: SessionFlag
  pendingLogout: PendingLogout
}

type LeaveDevice = Pick<
  Device,
  'isPageVisible' | 'onPageVisible' | 'onPageHidden' | 'saveTabText' | 'readTabText'
>

const leftKey = 'left'
const sessionTabLock = 'session-tab'

/**
 * On a shared device a session lives as long as a tab that has it (D31). After a crash the browser still has the cookie,
 * with which any page could open the session. So a page that starts without the flag of its tab ends the session at the
 * server, unless another tab is signed in. A signed-in tab holds a lock, which the browser releases when the tab ends.
 *
 * A browser that restores its tabs after a crash restores their flags too. So a flag counts only in a tab that was left
 * or hidden before: by a reload, for the page of a card gateway, or because the phone needed the memory.
 */
export function watchSessionTab({ device, isShared, store, flag, pendingLogout }: Parts): void {
  let release: (() => void) | undefined

  /** A second signed-in tab waits for the lock and gets it when the first tab ends. */
  function acquire() {
    release ??= holdLock(device, sessionTabLock)
  }

  async function endOrphanedSession(): Promise<void> {
    // Another tab signs in: the response would delete its new cookie.
    if (await device.isLockHeld(signInLock))
      return void device.after(retryDelayMs, () => void endOrphanedSession())
    if (await device.isLockHeld(sessionTabLock)) return
    // An applicant may have signed in during that call.
    if (flag.isSet() || pendingLogout.isPending()) return
    pendingLogout.markPending()
    // The request must not make the browser delete its data: this page already uses the data.
    await pendingLogout.send({ keepsSiteData: true })
  }

  store.subscribe(() => {
    if (isShared() && isSignedIn(store)) return acquire()
    release?.()
    release = undefined
  })
  const wasLeft = watchLeaving(device)
  if (!isShared()) return
  if (!wasLeft) flag.remove({ onlyInTab: true })
  // The lock is held before the session is restored, so that a tab that starts beside this one finds it.
  if (flag.isSet()) acquire()
  else void endOrphanedSession()
}

/** Returns whether the previous page of this tab was left or hidden. A visible page that ends in a crash was neither. */
function watchLeaving(device: LeaveDevice): boolean {
  const wasLeft = device.readTabText(leftKey) !== undefined
  const forget = () => device.saveTabText(leftKey, undefined)
  if (device.isPageVisible()) forget()
  device.onPageVisible(forget)
  device.onPageHidden(() => device.saveTabText(leftKey, '1'))
  return wasLeft
}
