import { logoutStepTimeoutMs } from '#contract/codes.ts'
import type { Device, TabMessage } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { PendingLogout } from './pending-logout.ts'
import type { SessionId } from './session-id.ts'
import type { SessionLifetime } from './session-lifetime.ts'
import { isSignedIn, type SessionEndReason, type SessionStore } from './session-state.ts'
import { wait } from './wait.ts'

/**
 * `sending`: finishes the writes that need the token or the key and, on a shared device, sends unsent drafts. `asking`:
 * asks the applicant about drafts that could not be sent; `asking-unreadable`: about those that the device cannot read
 * (D74). `ending`: ends the session, and clears a shared device.
 */
export type LogoutStep = 'none' | 'sending' | Question | 'ending'

type Question = 'asking' | 'asking-unreadable'

export type LogoutHooks = {
  /**
   * Runs the writes that need the key or the token: the last typed value, a deletion that can still be undone (LST11).
   */
  finishWrites: () => Promise<void>
  /** Sends the unsent drafts while there is a token; called before a shared device is cleared. */
  sendUnsentDrafts: () => Promise<void>
  /** Whether a wipe would delete drafts that the server does not have (`unsent`), or may not have (`unreadable`). */
  findUnsentDrafts: () => Promise<'none' | 'unsent' | 'unreadable'>
  /** Locks the drafts that the server does not have, or may not have; resolves to whether there are any (D31). */
  lockUnsentDrafts: () => Promise<boolean>
  /**
   * Locks the drafts that other applicants have left on this device. Resolves to whether the device now holds locked drafts
   * of any applicant: then the server must not ask the browser to delete all (D31).
   */
  lockDraftsOfOthers: () => Promise<boolean>
}

export type Logout = {
  /**
   * Resolves when the log-out is over; a second call joins the running one. After a call with `account-deleted` the running
   * one keeps no draft (D112).
   */
  logOut: (reason: SessionEndReason) => Promise<void>
  step: () => LogoutStep
  /** The applicant's answer about drafts that would be lost; `false` keeps the session. */
  answer: (confirmed: boolean) => void
}

type Parts = {
  hooks: LogoutHooks
  device: Pick<Device, 'after' | 'broadcast'>
  isShared: () => boolean
  store: SessionStore
  lifetime: Pick<SessionLifetime, 'end' | 'canLockDrafts'>
  sessionId: Pick<SessionId, 'own' | 'markLogout' | 'hasNewer' | 'markPendingErase'>
  pendingLogout: PendingLogout
}

type Ended = { answered: Promise<unknown> }

/**
 * `stays` and `loses`: the applicant's answer. `inactive`: there is none, for example because the session timed out during
 * the question.
 */
type Answer = 'stays' | 'loses' | 'inactive'

export function createLogout(parts: Parts): Logout {
  const { hooks, device, isShared, store, sessionId } = parts
  let running: Promise<Ended | undefined> | undefined
  let reason: SessionEndReason // of the running log-out; the deletion of the account replaces another one
  let step: LogoutStep = 'none'
  const question = createQuestion(setStep)
  const storage = createStorageSteps(parts)
  const end = createEnd(parts, { ...storage, newest: () => reason, onEnding: () => (step = 'ending') })

  function setStep(next: LogoutStep) {
    step = next
    store.emit()
  }

  /** Undefined when the applicant stays, the server is not asked, or something else has ended the session first. */
  async function run(): Promise<Ended | undefined> {
    const hasEnded = store.watchEnd()
    sessionId.markLogout()
    if (isSignedIn(store)) {
      step = 'sending'
      await hooks.finishWrites().catch(reportErrorTo(device))
      if (hasEnded()) return broadcastEnd(parts, reason)
    }
    if (mayKeepDrafts(reason) && isShared() && isSignedIn(store)) {
      await answerInTime(hooks.sendUnsentDrafts(), device)
      if (hasEnded()) return broadcastEnd(parts, reason)
      // Clearing the device would delete unsent drafts: only the applicant, or the deletion of the account, may decide that.
      const lost = reason === 'asked' ? await storage.findQuestion() : undefined
      const decision = reason === 'asked' && !hasEnded() ? await question.ask(lost) : 'inactive'
      if (decision === 'stays' && mayKeepDrafts(reason)) return undefined
      const ending = decision === 'inactive' && mayKeepDrafts(reason) ? await storage.lock() : reason
      return decision === 'inactive' && hasEnded() ? broadcastEnd(parts, reason) : end(ending, hasEnded)
    }
    return end(reason)
  }

  function start(): Promise<Ended | undefined> {
    running = run().finally(() => {
      running = undefined
      question.close()
      setStep('none')
    })
    // After `running` is set, so that a listener that asks for a log-out joins this one.
    store.emit()
    return running
  }

  return {
    async logOut(why) {
      // A log-out without the applicant ends the question that may be open.
      if (why !== 'asked') question.answer('inactive')
      if (!running || !mayKeepDrafts(why)) reason = why
      markErase(parts, why)
      const ended = await (running ??= start())
      await ended?.answered
    },
    step: () => step,
    answer: confirmed => question.answer(confirmed ? 'loses' : 'stays'),
  }
}

/**
 * When the applicant has asked for the deletion of the account, saves that the rows must be erased: if the session ends
 * in another way during the log-out, that end may delete the key row, which names the applicant (D112).
 */
function markErase({ sessionId }: Parts, reason: SessionEndReason): void {
  if (!mayKeepDrafts(reason)) sessionId.markPendingErase()
}

/**
 * Ends the session in the other tabs, which still show it when the server has refused it during the log-out. They delete no
 * unsent draft, except after the deletion of the account. A session that has begun since, in this or another tab, continues.
 */
function broadcastEnd(parts: Parts, reason: SessionEndReason): undefined {
  if (!parts.store.token() && !parts.sessionId.hasNewer())
    parts.device.broadcast(
      messageOf(parts, parts.isShared() && mayKeepDrafts(reason) ? 'lock-failed' : reason),
    )
}

type EndParts = {
  keepsDrafts: (reason: SessionEndReason) => Promise<boolean>
  /** The reason of the log-out by now: the deletion of the account may have replaced it. */
  newest: () => SessionEndReason
  onEnding: () => void
}

/**
 * Ends the session in this tab, in the other tabs and at the server. In this tab alone when another tab has begun a session
 * during this log-out: the cookie is that of the new session, and its sign-in has ended the one of this tab at the server.
 * `hasEnded`: whether something else has ended the session since the log-out began.
 */
function createEnd(parts: Parts, { keepsDrafts, newest, onEnding }: EndParts) {
  const { device, isShared, store, lifetime, sessionId, pendingLogout } = parts
  return async (planned: SessionEndReason, hasEnded = () => false): Promise<Ended | undefined> => {
    // Before the broadcast, because the other tabs clear the device too.
    const keepsSiteData = isShared() && !sessionId.hasNewer() && (await keepsDrafts(planned))
    const reason = mayKeepDrafts(newest()) ? planned : newest()
    // While the storage answered, another applicant may have signed in on this page: that sign-in began before the log-out.
    if (mayKeepDrafts(reason) && hasEnded()) return broadcastEnd(parts, reason)
    onEnding()
    if (sessionId.hasNewer()) {
      await lifetime.end(mayKeepDrafts(reason) ? 'replaced' : reason)
      return undefined
    }
    pendingLogout.markPending()
    device.broadcast(messageOf(parts, reason))
    // An unreachable server does not stop the log-out (S80).
    const answered = pendingLogout.send({ keepsSiteData, token: store.token() })
    await lifetime.end(reason, answered)
    return { answered }
  }
}

/** What the log-out asks of the device's storage. A storage that fails or hangs may still have the drafts. */
function createStorageSteps({ hooks, device, lifetime }: Pick<Parts, 'hooks' | 'device' | 'lifetime'>) {
  const inTime = <Found>(work: Promise<Found>) => answerInTime(work, device)
  return {
    /** Undefined when the wipe loses nothing. */
    async findQuestion(): Promise<Question | undefined> {
      const unsent = (await inTime(hooks.findUnsentDrafts())) ?? 'unreadable'
      if (unsent === 'none') return undefined
      return unsent === 'unsent' ? 'asking' : 'asking-unreadable'
    },
    /**
     * Locks the unsent drafts. `inactivity` when there are none, or the next sign-in could not unlock them.
     * `lock-failed` when the storage fails or hangs, or the session has ended and its key is gone.
     */
    async lock(): Promise<'locked' | 'lock-failed' | 'inactivity'> {
      const isLocked = lifetime.canLockDrafts() && (await inTime(hooks.lockUnsentDrafts()))
      if (isLocked === undefined) return 'lock-failed'
      return isLocked ? 'locked' : 'inactivity'
    },
    /** Whether drafts stay on the device, so that the server must not ask the browser to delete all. */
    async keepsDrafts(reason: SessionEndReason): Promise<boolean> {
      const isKeptForOthers = (await inTime(hooks.lockDraftsOfOthers())) !== false
      return isKeptForOthers || lockOf(reason) !== undefined
    },
  }
}

function messageOf(
  { store, sessionId }: { store: SessionStore; sessionId: Pick<SessionId, 'own'> },
  reason: SessionEndReason,
): TabMessage {
  return {
    kind: 'logged-out',
    sessionId: sessionId.own(),
    applicantId: store.signedInId(),
    isDeleted: reason === 'account-deleted' || undefined,
    isInactivity: reason === 'inactivity' || lockOf(reason) !== undefined,
    lock: lockOf(reason),
  }
}

/** After a request to delete the account no draft is kept, even if the applicant then decides to keep the account (D112). */
function mayKeepDrafts(reason: SessionEndReason): boolean {
  return reason !== 'account-deleted'
}

/** The reasons with which a log-out keeps unsent drafts on a shared device; undefined for every other reason. */
function lockOf(reason: SessionEndReason): 'locked' | 'lock-failed' | undefined {
  return reason === 'locked' || reason === 'lock-failed' ? reason : undefined
}

/** The question to the applicant, which waits for one answer. */
function createQuestion(onAsked: (question: Question) => void) {
  let resolveAnswer: (answer: Answer) => void = doNothing
  return {
    /** Without a question the wipe loses nothing, so its answer is known. */
    ask(question: Question | undefined): Promise<Answer> | Answer {
      if (!question) return 'loses'
      const answered = new Promise<Answer>(resolve => (resolveAnswer = resolve))
      onAsked(question)
      return answered
    },
    answer: (answer: Answer) => resolveAnswer(answer),
    close: () => void (resolveAnswer = doNothing),
  }
}

/** Undefined when the work fails or hangs. */
function answerInTime<Found>(
  work: Promise<Found>,
  device: Pick<Device, 'after'>,
): Promise<Found | undefined> {
  const report = reportErrorTo(device)
  const timeout = wait(device, logoutStepTimeoutMs).then(() => undefined)
  return Promise.race([work.catch(error => (report(error), undefined)), timeout])
}

/** A failure must not stop the log-out; the browser still reports it as an uncaught error. */
function reportErrorTo(device: Pick<Device, 'after'>) {
  return (error: unknown) => {
    device.after(0, () => {
      throw error
    })
  }
}
