import type { Call, Value } from '#api/client.ts'
import { askedDelayMs, failed, type Problem, type Result } from '#api/result.ts'
import type { ProblemCode } from '#contract/problems.ts'
import type { RefreshAnswer, TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { type PendingLogout, signInLock } from './pending-logout.ts'
import { readToken } from './read-token.ts'
import type { SessionId } from './session-id.ts'
import { isSignedIn, type SessionEndReason, type SessionStore } from './session-state.ts'

export type TokenRefresh = {
  /**
   * Gets a new token for this tab. Refreshes run one after the other, also those of other tabs, because the tabs share the
   * cookie. Resolves to true when the session has a new token. When another refresh of this tab got it during the wait, sends
   * no request. Resolves to the problem when the call fails but the session stays (S82), and to false when the session has
   * ended, a log-out is pending, or the new token is unreadable.
   */
  refresh: () => Promise<boolean | Problem>
  /** Refreshes after the delay; replaces an earlier schedule. */
  schedule: (delayMs: number) => void
  cancel: () => void
  /**
   * Before a sign-in, aborts the request that is running or about to be sent, because its response would replace or delete the
   * new cookie. A retry follows if this tab is signed in.
   */
  abort: () => void
}

type Parts = {
  device: Pick<Device, 'after' | 'withLock' | 'isLockHeld' | 'onBroadcast'>
  call: Call
  store: SessionStore
  pendingLogout: Pick<PendingLogout, 'isPending'>
  sessionId: Pick<SessionId, 'isReplaced'>
  /** Opens or continues the session with a new token. Resolves to false when the token is unreadable. */
  accept: (answer: RefreshAnswer) => Promise<boolean>
  /** `reason` is undefined when no session was open, unless the account is deleted. */
  end: (reason: SessionEndReason | undefined) => void
}

/**
 * Shortest delay before the next refresh after a problem that is not `refused`, such as a lost response. A retry can succeed
 * after a lost response too, because the server accepts the previous cookie until the client has used the next one (D22).
 */
export const refreshRetryDelayMs = 4_000
/** Delay before the next refresh after a response 403 or 429. */
const refusedRetryDelayMs = 30_000

const noAnswer: Problem = { kind: 'unreachable', cause: 'no-answer' }

/** With this reason the server tells the other devices of the applicant to remove what they keep (D112). */
const deletedReason: ProblemCode = 'account-deleted'

/** Returns the delay from the receipt of a token to its refresh: half of its lifetime, at least 1 s (SES04). */
export function refreshDelayMs(claims: Pick<TokenClaims, 'exp' | 'iat'>): number {
  return Math.max(1_000, ((claims.exp - claims.iat) * 1_000) / 2)
}

export function createTokenRefresh(parts: Parts): TokenRefresh {
  const { device, store } = parts
  let cancelTimer: () => void = doNothing
  let request: AbortController | undefined

  function schedule(delayMs: number) {
    cancelTimer()
    cancelTimer = device.after(delayMs, () => void refresh())
  }

  async function refresh(): Promise<boolean | Problem> {
    const tokenBefore = store.token()
    const hasEnded = store.watchEnd()
    return device.withLock('refresh-token', async () => {
      // Also when another session has begun since: its token is not for the call that waits here.
      if (hasEnded()) return false
      const token = store.token()
      if (token && token !== tokenBefore) return true
      // The cookie still opens the session that the applicant has left: a refresh would sign them in again.
      if (parts.pendingLogout.isPending()) return false
      const result = await send()
      // The applicant logged out during the request: the response must not sign them in again.
      if (hasEnded()) return false
      if (!result.ok) return handleProblem(serviceProblem(result.problem))
      const isOther = await isOtherApplicant(store, result.value.data.token)
      if (hasEnded()) return false
      if (!isOther) return parts.accept(result.value.data)
      parts.end('refused')
      return false
    })
  }

  async function send(): Promise<Result<Value<'refreshToken'>>> {
    const { signal } = (request = new AbortController())
    if (await device.isLockHeld(signInLock)) return failed(noAnswer)
    return parts.call('refreshToken', {}, { background: true, signal })
  }

  function handleProblem(problem: Problem): false | Problem {
    const wasSignedIn = isSignedIn(store)
    // After a problem that is not `refused`, such as a lost response, the session stays and the client retries soon (S82).
    // A 403 (blocked network) or 429 (too many requests) does not end the session either (S84).
    if (problem.kind !== 'refused' || [403, 429].includes(problem.status)) {
      if (wasSignedIn) schedule(retryDelayMs(problem))
      return problem
    }
    if (problem.reason === deletedReason) parts.end(reasonOfDeletion())
    else parts.end(wasSignedIn ? 'refused' : undefined)
    return false
  }

  /** All tabs share one cookie: after a sign-in in another tab the deleted account may be that of another applicant. */
  function reasonOfDeletion(): SessionEndReason {
    return parts.sessionId.isReplaced() ? 'refused' : 'account-deleted'
  }

  const abort = () => request?.abort()
  device.onBroadcast(({ kind }) => void (kind === 'signing-in' && abort()))
  return { refresh, schedule, cancel: () => cancelTimer(), abort }
}

/** Where the server does not mark its answers, a proxy may have answered 404, 408 or 425 in its place (D5, D60). */
function serviceProblem(problem: Problem): Problem {
  return problem.kind === 'refused' && [404, 408, 425].includes(problem.status) ? noAnswer : problem
}

/** A busy service says when it wants the next try. */
function retryDelayMs(problem: Problem): number {
  if (problem.kind === 'refused') return refusedRetryDelayMs
  return Math.max(refreshRetryDelayMs, askedDelayMs(problem))
}

/**
 * Whether the new token belongs to another applicant. All tabs share one cookie, so another applicant may have signed in
 * in another tab; this page must not show their data.
 */
async function isOtherApplicant(store: SessionStore, nextToken: string): Promise<boolean> {
  const claims = await readToken(nextToken)
  const state = store.state()
  return state.kind === 'signed-in' && claims !== undefined && claims.applicantId !== state.claims.applicantId
}
