import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { TokenClaims } from '#contract/session.ts'
import type { Device, TabMessage } from '#device/device.ts'
import type { DeviceUse } from '#store/device-use.ts'
import { type Activity, createActivity } from './activity.ts'
import type { Inactivity } from './inactivity.ts'
import { createLogout, type Logout, type LogoutHooks, type LogoutStep } from './logout.ts'
import { createPendingLogout } from './pending-logout.ts'
import { createSessionFlag } from './session-flag.ts'
import { createSessionId, type SessionId } from './session-id.ts'
import {
  createSessionLifetime,
  type LifetimeHooks,
  type SessionLifetime,
  type TokenAnswer,
} from './session-lifetime.ts'
import { createSessionStart, type SessionStart } from './session-start.ts'
import {
  createSessionStore,
  isSignedIn,
  type SessionEndReason,
  type SessionState,
  type SessionStore,
} from './session-state.ts'
import { watchSessionTab } from './session-tab.ts'
import { createTokenRefresh, type TokenRefresh } from './token-refresh.ts'

export type { SessionEndReason, SessionState } from './session-state.ts'

export type SessionParts = LifetimeHooks &
  LogoutHooks & {
    device: Device
    call: Call
    /** The applicant who was signed in last, for a start without the server (D23); undefined after a log-out. */
    readCachedClaims?: () => Promise<TokenClaims | undefined>
    /** On a shared device or a kiosk a session ends with its tab (D31, D38). */
    deviceUse: () => DeviceUse
  }

/** Whether an applicant is signed in, and with which token. React subscribes to it as an external store. */
export type Session = {
  /**
   * The random id of the session that this page has or had last, or that it may continue without the server; undefined
   * when this browser has none.
   */
  id: () => string | undefined
  /** When this page started, before its first request: wall clock in milliseconds. */
  startedAtMs: number
  /**
   * Whether another tab has begun a session that is newer than that of this page. Once a log-out has started in this page,
   * only a session that began after that start counts. The texts, the claims and perhaps the rows of this browser are then
   * those of the newer session.
   */
  hasNewer: () => boolean
  state: () => SessionState
  /** The id of the signed-in applicant; undefined without a session. */
  signedInId: () => string | undefined
  subscribe: (listener: () => void) => () => void
  /** Undefined without a session, and until a page that started without the server gets its first token. */
  token: () => string | undefined
  /** Returns a check that is true once the session has ended after this call. */
  watchEnd: () => () => boolean
  /**
   * Resolves when it is known whether a session is open: at once without the session flag or during a pending log-out,
   * otherwise by the answer of the server. Without an answer within 3 s the cached claims decide, if there are any.
   */
  ready: () => Promise<SessionState>
  /** Opens the session after a sign-in. Resolves to false when the session did not open. */
  begin: (answer: TokenAnswer) => Promise<boolean>
  /**
   * Takes the new token that follows a change of the account. Unlike a sign-in, the change has replaced no cookie: a log-out
   * that another tab could not send must stay pending (S80). Resolves like `begin`, and to false without a session.
   */
  takeToken: (answer: TokenAnswer) => Promise<boolean>
  /**
   * Gets a new token for this tab; the tabs of a browser refresh one after the other. Resolves to true with a new token, to
   * false when the session has ended or a log-out is pending, and to the problem when it stays without a new token (S82).
   */
  refresh: () => Promise<boolean | Problem>
  logOut: (reason?: SessionEndReason) => Promise<void>
  logoutStep: () => LogoutStep
  /** The applicant's answer about drafts that would be lost; `false` keeps the session. */
  answerLogout: (confirmed: boolean) => void
  /** Call it before a sign-in: until the returned function is called, this tab sends no log-out and no refresh. */
  holdForSignIn: () => () => void
  /**
   * Sets the flag of a log-out, because the browser's cookie may open a session that no page has. Sends nothing itself: the
   * request follows the release of `holdForSignIn`, a new connection, or the start of a later page.
   */
  markPendingLogout: () => void
  recordActivity: () => void
  /** Undefined without a session, and when the session has no time limit. */
  inactivity: () => Inactivity | undefined
  /** Whether a shared device can lock unsent drafts until the applicant's next sign-in (D31). */
  canLockDrafts: () => boolean
}

export function createSession(parts: SessionParts): Session {
  const { device, deviceUse, readCachedClaims } = parts
  const isShared = () => deviceUse().kind !== 'own'
  const store = createSessionStore()
  const flag = createSessionFlag(device, isShared)
  const sessionId = createSessionId(device)
  const activity = createActivity(device, deviceUse)
  const pendingLogout = createPendingLogout(parts)
  const tokenRefresh = createTokenRefresh({
    device,
    call: parts.call,
    store,
    pendingLogout,
    sessionId,
    accept: answer => lifetime.open(answer, 'refresh'),
    end: reason => endByServer(logout, lifetime, reason),
  })
  const lifetime = createSessionLifetime({ hooks: parts, store, activity, flag, sessionId, tokenRefresh })
  const endParts = { device, store, lifetime, sessionId, pendingLogout }
  const logout = createLogout({ ...endParts, hooks: parts, isShared })
  const start = createSessionStart({ ...endParts, readCachedClaims, activity, flag, tokenRefresh })
  if (pendingLogout.isPending()) void pendingLogout.retry()
  watchSessionTab({ device, isShared, store, flag, pendingLogout })
  followDevice({ device, isShared, store, sessionId, tokenRefresh, lifetime, logout, start })

  return {
    id: sessionId.own,
    startedAtMs: device.now(),
    hasNewer: sessionId.hasNewer,
    state: store.state,
    signedInId: store.signedInId,
    subscribe: store.subscribe,
    token: store.token,
    watchEnd: store.watchEnd,
    ready: start.ready,
    begin(answer) {
      // The sign-in has replaced the cookie, so the server has ended the previous session.
      pendingLogout.clear()
      // A log-out that began during the sign-in asks about the drafts of the previous session: it deletes nothing.
      logout.answer(false)
      return lifetime.open(answer, 'sign-in')
    },
    // A call that was running at the log-out must not open the session again.
    takeToken: async answer => isSignedIn(store) && lifetime.open(answer, 'change'),
    refresh: async () => isSignedIn(store) && tokenRefresh.refresh(),
    logOut: (reason = 'asked') => logout.logOut(reason),
    canLockDrafts: lifetime.canLockDrafts,
    logoutStep: logout.step,
    answerLogout: logout.answer,
    holdForSignIn() {
      tokenRefresh.abort()
      return pendingLogout.holdForSignIn()
    },
    markPendingLogout: pendingLogout.markPending,
    recordActivity: () => recordActivity(store, activity),
    inactivity: () => readInactivity(store, activity),
  }
}

/**
 * Ends the session after an answer of the server, and ends an open question of a log-out. If the account is deleted, a
 * running log-out continues and tells the other tabs, so that they erase the rows of the account too (D112).
 */
function endByServer(logout: Logout, lifetime: SessionLifetime, reason: SessionEndReason | undefined): void {
  if (reason === 'account-deleted' && logout.step() !== 'none') void logout.logOut(reason)
  else logout.answer(false)
  void lifetime.end(reason)
}

function recordActivity(store: SessionStore, activity: Activity): void {
  const state = store.state()
  if (state.kind === 'signed-in') activity.record(state.claims)
}

function readInactivity(store: SessionStore, activity: Activity): Inactivity | undefined {
  const state = store.state()
  return state.kind === 'signed-in' ? activity.inactivity(state.claims) : undefined
}

type FollowParts = {
  device: Device
  isShared: () => boolean
  store: SessionStore
  sessionId: SessionId
  tokenRefresh: TokenRefresh
  lifetime: SessionLifetime
  logout: Logout
  start: SessionStart
}

type LoggedOut = Extract<TabMessage, { kind: 'logged-out' }>

/** Why this tab's session ends after a log-out in another tab. */
function reasonOf(
  { sessionId: endedId, applicantId, isDeleted, isInactivity, lock }: LoggedOut,
  { store, sessionId, lifetime }: Pick<FollowParts, 'store' | 'sessionId' | 'lifetime'>,
): SessionEndReason {
  if (sessionId.wasReplacedAtLogout(endedId)) return 'replaced'
  const ownId = store.signedInId() ?? lifetime.openingFor()
  // All tabs share the cookie: the log-out of a tab with an older session has ended the next applicant's session too.
  const isOther = applicantId !== undefined && ownId !== undefined && ownId !== applicantId
  if (isOther) return 'refused'
  if (isDeleted) return 'account-deleted'
  if (lock) return lock
  return isInactivity ? 'inactivity' : 'asked'
}

/**
 * Requests a token when the connection is back and this page has none. Ends the session after a log-out in another page (S85).
 */
function followDevice(parts: FollowParts) {
  const { device, isShared, store, sessionId, tokenRefresh, lifetime, logout, start } = parts
  device.onConnection(online => {
    if (online && isSignedIn(store) && !store.token()) void tokenRefresh.refresh()
  })
  device.onBroadcast(message => {
    if (message.kind !== 'logged-out') return
    const reason = reasonOf(message, parts)
    // An open question about drafts that would be lost is over, and this log-out with it: the session ends below.
    logout.answer(false)
    if (isSignedIn(store) || lifetime.openingFor() !== undefined) void lifetime.end(reason)
    // The response to a start that is still running must not open the session that was left.
    else if (start.isRunning()) void lifetime.end(undefined)
  })
  device.onPageRestored(() => {
    if (!isSignedIn(store) || !sessionId.isOver()) return
    // This page has not heard which drafts another tab keeps on a shared device, so it must delete none (D31).
    void lifetime.end(sessionId.isReplaced() || isShared() ? 'replaced' : 'asked')
  })
}
