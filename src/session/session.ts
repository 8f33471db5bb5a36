import type { Call } from '#api/client.ts'
import type { Device } from '#device/device.ts'
import { loadOnce } from '#device/load-file.ts'
import type { TokenClaims } from '#contract/session.ts'
import { refreshAfter } from './refresh-after.ts'
import { kioskInactivity, leavingPatience } from '#contract/codes.ts'
import type { DeviceUse } from '#store/device-use.ts'
import { countsAsActivity, type Inactivity, inactivityAt } from './inactivity.ts'
import { createOwedLogOut } from './owed-log-out.ts'

export type SessionState = { kind: 'signed-out' } | { kind: 'signed-in'; claims: TokenClaims }

export type Ending = 'asked' | 'inactivity' | 'refused' | 'other-tab'

export type SessionParts = {
  device: Device
  call: Call
  /**
   * A session began or was renewed: the secret that opens this applicant's drafts, when the server gives one. It may
   * fail: a browser that keeps nothing lets its applicant in all the same, and the form says what it cannot keep.
   */
  onOpen(applicant: { applicantId: string; draftKey: string | undefined; claims: TokenClaims }): Promise<void>
  /** Who was signed in here last, for a start without a line (D23); nobody after log-out. */
  recallClaims?: () => Promise<TokenClaims | undefined>
  /** Whose device this is: on a shared one no session outlives its tab. */
  use(): DeviceUse
  /** Before a shared device is cleared: what is unsent goes to the server, while there is still a token. */
  onLeaving(): Promise<void>
  /** Whether the clearing of a shared device would take something that nobody else has. */
  wouldLose(): Promise<boolean>
  /** `answered` settles once the server was told of a log-out, or could not be. */
  onEnd(ending: Ending, answered: Promise<unknown>): Promise<void>
}

/** How far a log-out is: what is unsent is being sent, the applicant asked about what could not be, or all cleared. */
export type LeavingStep = 'none' | 'sending' | 'asking' | 'ending'

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
  renew: () => Promise<boolean>
  logOut: (ending?: Ending) => Promise<void>
  leavingStep: () => LeavingStep
  /** What the applicant says to losing what could not be sent; `false` stays. */
  answerLeaving: (goes: boolean) => void
  /** Before somebody signs in: a log-out that is still on its way stops. */
  giveWay: () => void
  touch: () => void
  inactivity: () => Inactivity | undefined
}

/** That a session may exist, so that a first visit asks for nothing; and the last activity, for all tabs. */
const sessionMark = 'session'
const activityMark = 'activity'

/** How long a start waits for the server before it goes on with what this device knows, milliseconds. */
const startPatience = 3_000
/** A lost answer is asked for again soon: the server honours the token before until the next was used (D22), milliseconds. */
const renewAgainAfter = 4_000
/** After too many renewals at once. Milliseconds. */
const refusedPause = 30_000
/** Where the server names no limit, a start without a line opens for a quarter of an hour. Seconds. */
const unnamedLimit = 15 * 60

export function createSession(parts: SessionParts): Session {
  const { device } = parts
  const listeners = new Set<() => void>()
  let state: SessionState = { kind: 'signed-out' }
  let token: string | undefined
  let starting: Promise<SessionState> | undefined
  let leaving: Promise<{ answered: Promise<unknown> } | undefined> | undefined
  let leavingStep: LeavingStep = 'none'
  let answerLeaving: (goes: boolean) => void = nothing
  const owed = createOwedLogOut(parts)
  let opening: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let cancelRefresh: () => void = nothing
  /** When this tab marked it last: to ask the storage at every key is not free. */
  let markedAt = 0
  let endings = 0

  function change(next: SessionState) {
    state = next
    for (const listener of listeners) listener()
  }

  async function begin(answer: { token: string; draftKey?: string | undefined }): Promise<boolean> {
    const endingsBefore = endings
    const claims = await readToken(answer.token)
    if (!claims) return false
    // Closing for the one who left must not lock out the next.
    if (closing) await closing
    if (endings !== endingsBefore) return false
    token = answer.token
    opening = parts
      .onOpen({ applicantId: claims.applicantId, draftKey: answer.draftKey, claims })
      .catch(nothing)
    await opening
    opening = undefined
    // Whoever left while the device was being opened stays away.
    if (endings !== endingsBefore) return false
    if (device.recall(activityMark) === undefined) markActivity()
    mark('1')
    scheduleRefresh(refreshAfter(claims))
    change({ kind: 'signed-in', claims })
    return true
  }

  function scheduleRefresh(milliseconds: number) {
    cancelRefresh()
    cancelRefresh = device.after(milliseconds, () => void renew())
  }

  async function renew(): Promise<boolean> {
    const before = token
    const endingsBefore = endings
    return device.alone('refresh-token', async () => {
      if (token !== before && token !== undefined) return true
      // The cookie is of a session that was left.
      if (owed.isOwed()) return false
      const answer = await parts.call('refreshToken', {}, { background: true })
      // Somebody left meanwhile: the answer must not sign them in again.
      if (endings !== endingsBefore) return false
      const isOther = answer.ok && (await isSomebodyElse(answer.value.data.token))
      if (endings !== endingsBefore) return false
      if (isOther) {
        void end('refused', settled)
        return false
      }
      if (answer.ok) return begin(answer.value.data)
      // Too many at once, or a network that is shut out, says nothing of the session (S84).
      const refused = answer.problem.kind === 'refused' && ![403, 429].includes(answer.problem.status)
      if (refused) void end(state.kind === 'signed-in' ? 'refused' : undefined, settled)
      // No answer is no refusal: stay, and try again soon (S82).
      else if (state.kind === 'signed-in')
        scheduleRefresh(answer.problem.kind === 'refused' ? refusedPause : renewAgainAfter)
      return false
    })
  }

  /** All tabs share one cookie: another applicant may have signed in beside this one, and what is shown here is not theirs. */
  async function isSomebodyElse(renewed: string): Promise<boolean> {
    const claims = await readToken(renewed)
    return (
      state.kind === 'signed-in' && claims !== undefined && claims.applicantId !== state.claims.applicantId
    )
  }

  /** The line may be gone, or hang for half a minute: whoever was signed in here goes on at once (D23, S96). */
  async function startAgain(): Promise<SessionState> {
    const renewing = renew()
    await Promise.race([renewing, pause(startPatience)])
    if (isWaiting()) await resume()
    if (isWaiting()) await renewing
    return state
  }

  async function resume() {
    // A store that cannot be read knows nobody: then only the server can tell.
    const claims = await parts.recallClaims?.().catch(nothing)
    if (!claims || !isWaiting()) return
    const limit = limitOf(claims) ?? unnamedLimit
    const last = Number(device.recall(activityMark) ?? 0)
    if (inactivityAt({ limit, last, now: device.now() }).kind === 'over') {
      owed.owe()
      return end('inactivity', owed.tell())
    }
    scheduleRefresh(renewAgainAfter)
    change({ kind: 'signed-in', claims })
  }

  /** A session may exist, and nobody has said yes or no. */
  function isWaiting(): boolean {
    return state.kind === 'signed-out' && isMarked()
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      device.after(milliseconds, resolve)
    })
  }

  function end(ending: Ending | undefined, answered: Promise<unknown>): Promise<void> {
    cancelRefresh()
    endings += 1
    token = undefined
    mark(undefined)
    device.remember(activityMark, undefined)
    change({ kind: 'signed-out' })
    if (!ending) return settled
    // What is being opened is closed after that, not before.
    const closed = opening ? opening.then(() => parts.onEnd(ending, answered)) : parts.onEnd(ending, answered)
    closing = closed.catch(nothing).finally(() => {
      closing = undefined
    })
    return closed
  }

  async function leave(ending: Ending): Promise<{ answered: Promise<unknown> } | undefined> {
    if (isShared() && state.kind === 'signed-in') {
      leavingStep = 'sending'
      await Promise.race([parts.onLeaving().catch(report), pause(leavingPatience)])
      if (ending === 'asked' && (await isStaying())) return undefined
    }
    leavingStep = 'ending'
    owed.owe()
    device.tellTabs({ kind: 'logged-out' })
    // An unreachable server does not stop the log-out (S80). The cookie alone says whose it is.
    const answered = owed.tell()
    await end(ending, answered)
    return { answered }
  }

  /** What could not be sent would be lost with the clearing: that is for the applicant to say. */
  async function isStaying(): Promise<boolean> {
    const losing = parts.wouldLose().catch(error => (report(error), false))
    if (!(await Promise.race([losing, pause(leavingPatience).then(() => false)]))) return false
    const goes = new Promise<boolean>(resolve => {
      answerLeaving = resolve
    })
    step('asking')
    return !(await goes)
  }

  function step(next: LeavingStep) {
    leavingStep = next
    change(state)
  }

  /** Whatever goes wrong with the sending, the applicant gets away; the fault is still told. */
  function report(error: unknown) {
    device.after(0, () => {
      throw error
    })
  }

  function isShared(): boolean {
    return parts.use().kind !== 'own'
  }

  /** On a shared device the mark is the tab's: whoever opens the browser next is nobody yet. */
  function mark(text: string | undefined) {
    device.remember(sessionMark, isShared() ? undefined : text)
    device.rememberHere(sessionMark, isShared() ? text : undefined)
  }

  function isMarked(): boolean {
    return (device.recallHere(sessionMark) ?? device.recall(sessionMark)) !== undefined
  }

  /** Seconds; whoever walks away from a kiosk is forgotten soon (D38). */
  function limitOf({ inactivity }: TokenClaims): number | undefined {
    if (parts.use().kind !== 'kiosk') return inactivity ?? undefined
    return Math.min(inactivity || kioskInactivity, kioskInactivity)
  }

  function markActivity() {
    markedAt = device.now()
    device.remember(activityMark, String(markedAt))
  }

  if (owed.isOwed()) void owed.tell({ cleared: true })
  device.onConnection(online => {
    if (online && state.kind === 'signed-in' && token === undefined) void renew()
  })
  device.onTabs(message => {
    if (message.kind !== 'logged-out') return
    answerLeaving(true)
    if (state.kind === 'signed-in' || opening) void end('other-tab', settled)
    // A start that waits for its answer must not open what was just left.
    else if (starting) void end(undefined, settled)
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
      if (owed.isOwed() || !isMarked()) return state
      starting ??= startAgain()
      const known = await starting
      starting = undefined
      return known
    },
    async begin(answer) {
      // Signing in has ended whatever the cookie opened before.
      owed.settle()
      markActivity()
      return begin(answer)
    },
    // A call that was on its way when its applicant left must not open the session again.
    renew: async () => state.kind === 'signed-in' && renew(),
    async logOut(ending = 'asked') {
      // Nobody is there to answer any more.
      if (ending !== 'asked') answerLeaving(true)
      leaving ??= leave(ending).finally(() => {
        leaving = undefined
        answerLeaving = nothing
        step('none')
      })
      change(state)
      const left = await leaving
      await left?.answered
    },
    leavingStep: () => leavingStep,
    answerLeaving: goes => answerLeaving(goes),
    giveWay: owed.giveWay,
    touch() {
      const now = device.now()
      if (state.kind !== 'signed-in' || !countsAsActivity({ last: markedAt, now })) return
      // Another tab may have been faster.
      if (countsAsActivity({ last: Number(device.recall(activityMark) ?? 0), now })) markActivity()
    },
    inactivity() {
      if (state.kind !== 'signed-in') return undefined
      const limit = limitOf(state.claims)
      if (!limit) return undefined
      const last = Number(device.recall(activityMark) ?? device.now())
      return inactivityAt({ limit, last, now: device.now() })
    },
  }
}

/** The schemas are here: whatever brought the token was read by others of them. */
const loadClaims = loadOnce(() => import('./claims.ts'))

async function readToken(token: string): Promise<TokenClaims | undefined> {
  return (await loadClaims()).readClaims(token)
}

const settled = Promise.resolve()

function nothing(): void {}
