import type { Call } from '#api/client.ts'
import type { Device } from '#device/device.ts'
import { loadOnce } from '#device/load-with-retry.ts'
import type { TokenClaims } from '#contract/session.ts'
import { refreshDelayMs } from './refresh-delay.ts'
import { kioskInactivitySeconds, logoutTimeoutMs } from '#contract/codes.ts'
import type { DeviceUse } from '#store/device-use.ts'
import { countsAsActivity, type Inactivity, inactivityAt } from './inactivity.ts'
import { createPendingLogout } from './pending-logout.ts'

export type SessionState = { kind: 'signed-out' } | { kind: 'signed-in'; claims: TokenClaims }

export type SessionEndReason = 'asked' | 'inactivity' | 'refused' | 'other-tab'

export type SessionParts = {
  device: Device
  call: Call
  /**
   * A session began or was renewed: the secret that opens this applicant's drafts, when the server gives one. It may
   * fail: a browser that keeps nothing lets its applicant in all the same, and the form says what it cannot keep.
   */
  onOpen(applicant: { applicantId: string; draftKey: string | undefined; claims: TokenClaims }): Promise<void>
  /** Who was signed in here last, for a start without a line (D23); nobody after log-out. */
  readCachedClaims?: () => Promise<TokenClaims | undefined>
  /** Whose device this is: on a shared one no session outlives its tab. */
  deviceUse(): DeviceUse
  /** Before a shared device is cleared: what is unsent goes to the server, while there is still a token. */
  beforeLogout(): Promise<void>
  /** Whether the clearing of a shared device would take something that nobody else has. */
  hasUnsentDrafts(): Promise<boolean>
  /** `answered` settles once the server was told of a log-out, or could not be. */
  onEnd(ending: SessionEndReason, answered: Promise<unknown>): Promise<void>
}

/** How far a log-out is: what is unsent is being sent, the applicant asked about what could not be, or all cleared. */
export type LogoutStep = 'none' | 'sending' | 'asking' | 'ending'

/** Who is signed in. The token lives in memory only (S81); React subscribes from outside. */
export type Session = {
  state: () => SessionState
  subscribe: (listener: () => void) => () => void
  /** None while a session that was begun without the line waits for its first renewal: nothing can be sent yet. */
  token: () => string | undefined
  /** Settles once it is known whether the browser's cookie still opens a session. */
  ready: () => Promise<SessionState>
  begin: (answer: { token: string; draftKey?: string | undefined }) => Promise<boolean>
  /** One refresh for all tabs; false when the server refused it (S82). */
  refresh: () => Promise<boolean>
  logOut: (ending?: SessionEndReason) => Promise<void>
  logoutStep: () => LogoutStep
  /** What the applicant says to losing what could not be sent; `false` stays. */
  answerLogout: (goes: boolean) => void
  /** Before somebody signs in: a log-out that is still on its way stops. */
  abortPendingLogout: () => void
  recordActivity: () => void
  inactivity: () => Inactivity | undefined
}

/** That a session may exist, so that a first visit asks for nothing; and the last activity, for all tabs. */
const sessionFlagKey = 'session'
const lastActivityKey = 'activity'

/** How long a start waits for the server before it goes on with what this device knows, milliseconds. */
const startTimeoutMs = 3_000
/** A lost answer is asked for again soon: the server honours the token before until the next was used (D22), milliseconds. */
const refreshRetryDelayMs = 4_000
/** After too many renewals at once. Milliseconds. */
const refusedRetryDelayMs = 30_000
/** Where the server names no limit, a start without a line opens for a quarter of an hour. Seconds. */
const defaultLimitSeconds = 15 * 60

export function createSession(parts: SessionParts): Session {
  const { device } = parts
  const listeners = new Set<() => void>()
  let state: SessionState = { kind: 'signed-out' }
  let token: string | undefined
  let starting: Promise<SessionState> | undefined
  let loggingOut: Promise<{ answered: Promise<unknown> } | undefined> | undefined
  let logoutStep: LogoutStep = 'none'
  let answerLogout: (goes: boolean) => void = doNothing
  const pendingLogout = createPendingLogout(parts)
  let opening: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let cancelRefresh: () => void = doNothing
  /** When this tab marked it last: to ask the storage at every key is not free. */
  let activitySavedAt = 0
  let endCount = 0

  function setState(next: SessionState) {
    state = next
    for (const listener of listeners) listener()
  }

  async function begin(answer: { token: string; draftKey?: string | undefined }): Promise<boolean> {
    const endCountBefore = endCount
    const claims = await readToken(answer.token)
    if (!claims) return false
    // Closing for the one who left must not lock out the next.
    if (closing) await closing
    if (endCount !== endCountBefore) return false
    token = answer.token
    opening = parts
      .onOpen({ applicantId: claims.applicantId, draftKey: answer.draftKey, claims })
      .catch(doNothing)
    await opening
    opening = undefined
    // Whoever left while the device was being opened stays away.
    if (endCount !== endCountBefore) return false
    if (device.readText(lastActivityKey) === undefined) saveActivity()
    saveSessionFlag('1')
    scheduleRefresh(refreshDelayMs(claims))
    setState({ kind: 'signed-in', claims })
    return true
  }

  function scheduleRefresh(milliseconds: number) {
    cancelRefresh()
    cancelRefresh = device.after(milliseconds, () => void refresh())
  }

  async function refresh(): Promise<boolean> {
    const tokenBefore = token
    const endCountBefore = endCount
    return device.withLock('refresh-token', async () => {
      if (token !== tokenBefore && token !== undefined) return true
      // The cookie is of a session that was left.
      if (pendingLogout.isPending()) return false
      const answer = await parts.call('refreshToken', {}, { background: true })
      // Somebody left meanwhile: the answer must not sign them in again.
      if (endCount !== endCountBefore) return false
      const isOther = answer.ok && (await isOtherApplicant(answer.value.data.token))
      if (endCount !== endCountBefore) return false
      if (isOther) {
        void end('refused', resolved)
        return false
      }
      if (answer.ok) return begin(answer.value.data)
      // Too many at once, or a network that is shut out, says nothing of the session (S84).
      const refused = answer.problem.kind === 'refused' && ![403, 429].includes(answer.problem.status)
      if (refused) void end(state.kind === 'signed-in' ? 'refused' : undefined, resolved)
      // No answer is no refusal: stay, and try again soon (S82).
      else if (state.kind === 'signed-in')
        scheduleRefresh(answer.problem.kind === 'refused' ? refusedRetryDelayMs : refreshRetryDelayMs)
      return false
    })
  }

  /** All tabs share one cookie: another applicant may have signed in beside this one, and what is shown here is not theirs. */
  async function isOtherApplicant(renewed: string): Promise<boolean> {
    const claims = await readToken(renewed)
    return (
      state.kind === 'signed-in' && claims !== undefined && claims.applicantId !== state.claims.applicantId
    )
  }

  /** The line may be gone, or hang for half a minute: whoever was signed in here goes on at once (D23, S96). */
  async function restoreSession(): Promise<SessionState> {
    const renewing = refresh()
    await Promise.race([renewing, wait(startTimeoutMs)])
    if (isUndecided()) await resumeOffline()
    if (isUndecided()) await renewing
    return state
  }

  async function resumeOffline() {
    // A store that cannot be read knows nobody: then only the server can tell.
    const claims = await parts.readCachedClaims?.().catch(doNothing)
    if (!claims || !isUndecided()) return
    const limitSeconds = limitSecondsOf(claims) ?? defaultLimitSeconds
    const last = Number(device.readText(lastActivityKey) ?? 0)
    if (inactivityAt({ limitSeconds, last, now: device.now() }).kind === 'over') {
      pendingLogout.markPending()
      return end('inactivity', pendingLogout.send())
    }
    scheduleRefresh(refreshRetryDelayMs)
    setState({ kind: 'signed-in', claims })
  }

  /** A session may exist, and nobody has said yes or no. */
  function isUndecided(): boolean {
    return state.kind === 'signed-out' && hasSessionFlag()
  }

  function wait(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      device.after(milliseconds, resolve)
    })
  }

  function end(ending: SessionEndReason | undefined, answered: Promise<unknown>): Promise<void> {
    cancelRefresh()
    endCount += 1
    token = undefined
    saveSessionFlag(undefined)
    device.saveText(lastActivityKey, undefined)
    setState({ kind: 'signed-out' })
    if (!ending) return resolved
    // What is being opened is closed after that, not before.
    const closed = opening ? opening.then(() => parts.onEnd(ending, answered)) : parts.onEnd(ending, answered)
    closing = closed.catch(doNothing).finally(() => {
      closing = undefined
    })
    return closed
  }

  async function performLogout(
    ending: SessionEndReason,
  ): Promise<{ answered: Promise<unknown> } | undefined> {
    if (isShared() && state.kind === 'signed-in') {
      logoutStep = 'sending'
      await Promise.race([parts.beforeLogout().catch(reportError), wait(logoutTimeoutMs)])
      if (ending === 'asked' && (await applicantStays())) return undefined
    }
    logoutStep = 'ending'
    pendingLogout.markPending()
    device.broadcast({ kind: 'logged-out' })
    // An unreachable server does not stop the log-out (S80). The cookie alone says whose it is.
    const answered = pendingLogout.send()
    await end(ending, answered)
    return { answered }
  }

  /** What could not be sent would be lost with the clearing: that is for the applicant to say. */
  async function applicantStays(): Promise<boolean> {
    const losesDrafts = parts.hasUnsentDrafts().catch(error => (reportError(error), false))
    if (!(await Promise.race([losesDrafts, wait(logoutTimeoutMs).then(() => false)]))) return false
    const confirmed = new Promise<boolean>(resolve => {
      answerLogout = resolve
    })
    setLogoutStep('asking')
    return !(await confirmed)
  }

  function setLogoutStep(next: LogoutStep) {
    logoutStep = next
    setState(state)
  }

  /** Whatever goes wrong with the sending, the applicant gets away; the fault is still told. */
  function reportError(error: unknown) {
    device.after(0, () => {
      throw error
    })
  }

  function isShared(): boolean {
    return parts.deviceUse().kind !== 'own'
  }

  /** On a shared device the mark is the tab's: whoever opens the browser next is nobody yet. */
  function saveSessionFlag(text: string | undefined) {
    device.saveText(sessionFlagKey, isShared() ? undefined : text)
    device.saveTabText(sessionFlagKey, isShared() ? text : undefined)
  }

  function hasSessionFlag(): boolean {
    return (device.readTabText(sessionFlagKey) ?? device.readText(sessionFlagKey)) !== undefined
  }

  /** Seconds; whoever walks away from a kiosk is forgotten soon (D38). */
  function limitSecondsOf({ inactivity }: TokenClaims): number | undefined {
    if (parts.deviceUse().kind !== 'kiosk') return inactivity ?? undefined
    return Math.min(inactivity || kioskInactivitySeconds, kioskInactivitySeconds)
  }

  function saveActivity() {
    activitySavedAt = device.now()
    device.saveText(lastActivityKey, String(activitySavedAt))
  }

  if (pendingLogout.isPending()) void pendingLogout.send({ cleared: true })
  device.onConnection(online => {
    if (online && state.kind === 'signed-in' && token === undefined) void refresh()
  })
  device.onBroadcast(message => {
    if (message.kind !== 'logged-out') return
    answerLogout(true)
    if (state.kind === 'signed-in' || opening) void end('other-tab', resolved)
    // A start that waits for its answer must not open what was just left.
    else if (starting) void end(undefined, resolved)
  })

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    token: () => token,
    async ready() {
      if (state.kind === 'signed-in') return state
      if (pendingLogout.isPending() || !hasSessionFlag()) return state
      starting ??= restoreSession()
      const known = await starting
      starting = undefined
      return known
    },
    async begin(answer) {
      // Signing in has ended whatever the cookie opened before.
      pendingLogout.clear()
      saveActivity()
      return begin(answer)
    },
    // A call that was on its way when its applicant left must not open the session again.
    refresh: async () => state.kind === 'signed-in' && refresh(),
    async logOut(ending = 'asked') {
      // Nobody is there to answer any more.
      if (ending !== 'asked') answerLogout(true)
      loggingOut ??= performLogout(ending).finally(() => {
        loggingOut = undefined
        answerLogout = doNothing
        setLogoutStep('none')
      })
      setState(state)
      const left = await loggingOut
      await left?.answered
    },
    logoutStep: () => logoutStep,
    answerLogout: goes => answerLogout(goes),
    abortPendingLogout: pendingLogout.abort,
    recordActivity() {
      const now = device.now()
      if (state.kind !== 'signed-in' || !countsAsActivity({ last: activitySavedAt, now })) return
      // Another tab may have been faster.
      if (countsAsActivity({ last: Number(device.readText(lastActivityKey) ?? 0), now })) saveActivity()
    },
    inactivity() {
      if (state.kind !== 'signed-in') return undefined
      const limitSeconds = limitSecondsOf(state.claims)
      if (!limitSeconds) return undefined
      const last = Number(device.readText(lastActivityKey) ?? device.now())
      return inactivityAt({ limitSeconds, last, now: device.now() })
    },
  }
}

/** The schemas are here: whatever brought the token was read by others of them. */
const loadClaims = loadOnce(() => import('./claims.ts'))

async function readToken(token: string): Promise<TokenClaims | undefined> {
  return (await loadClaims()).readClaims(token)
}

const resolved = Promise.resolve()

function doNothing(): void {}
