import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import type { Activity } from './activity.ts'
import type { PendingLogout } from './pending-logout.ts'
import type { SessionFlag } from './session-flag.ts'
import type { SessionId } from './session-id.ts'
import type { SessionLifetime } from './session-lifetime.ts'
import type { SessionState, SessionStore } from './session-state.ts'
import { refreshRetryDelayMs, type TokenRefresh } from './token-refresh.ts'
import { wait } from './wait.ts'

export type SessionStart = {
  /** Restores the session after a page load; resolves when the state is known. */
  ready: () => Promise<SessionState>
  isRunning: () => boolean
}

type Parts = {
  device: Pick<Device, 'after'>
  readCachedClaims: (() => Promise<TokenClaims | undefined>) | undefined
  store: SessionStore
  activity: Activity
  flag: SessionFlag
  sessionId: Pick<SessionId, 'follow'>
  pendingLogout: PendingLogout
  tokenRefresh: TokenRefresh
  lifetime: Pick<SessionLifetime, 'end'>
}

/**
 * `restore` waits at most this long for the server; then it uses the cached claims of this device, if there are any.
 */
const startTimeoutMs = 3_000

export function createSessionStart(parts: Parts): SessionStart {
  const { store, pendingLogout, tokenRefresh } = parts
  let running: Promise<SessionState> | undefined

  /**
   * The server may be unreachable, or a call may hang until its own timeout of 30 s: when the call fails, and after
   * `startTimeoutMs` at the latest, the applicant continues with the cached claims (D23, S96).
   */
  async function restore(): Promise<SessionState> {
    // Follow the newest id again: a slow storage may have returned the saved id only after this page had started (D64).
    parts.sessionId.follow({ isNew: false })
    const refreshing = tokenRefresh.refresh()
    await Promise.race([refreshing, wait(parts.device, startTimeoutMs)])
    if (isUndecided()) await resumeOffline()
    if (isUndecided()) await refreshing
    return store.state()
  }

  async function resumeOffline() {
    // When the cached claims cannot be read, only the server knows the applicant.
    const claims = await parts.readCachedClaims?.().catch(() => undefined)
    if (!claims || !isUndecided()) return
    // The claims have the time limit; the device keeps the time of the last activity.
    if (parts.activity.isExpiredAtStart(claims)) {
      pendingLogout.markPending()
      return parts.lifetime.end('inactivity', pendingLogout.send())
    }
    tokenRefresh.schedule(refreshRetryDelayMs)
    store.setState({ kind: 'signed-in', claims })
  }

  /** Still signed out, but a session may exist: the server has neither confirmed nor refused it. */
  function isUndecided(): boolean {
    return store.state().kind === 'signed-out' && parts.flag.isSet()
  }

  return {
    async ready() {
      // While the server has not confirmed a log-out, a restore could open the session that the applicant left.
      if (!isUndecided() || pendingLogout.isPending()) return store.state()
      running ??= restore()
      const state = await running
      running = undefined
      return state
    },
    isRunning: () => running !== undefined,
  }
}
