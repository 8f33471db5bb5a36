import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import type { PendingLogout } from './pending-logout.ts'
import { readToken } from './read-token.ts'
import type { SessionEndReason, SessionStore } from './session-state.ts'

export type TokenRefresh = {
  /** One request for all tabs; false when the session got no new token (S82). */
  refresh: () => Promise<boolean>
  schedule: (delayMs: number) => void
  cancel: () => void
}

type Parts = {
  device: Pick<Device, 'after' | 'withLock'>
  call: Call
  store: SessionStore
  pendingLogout: Pick<PendingLogout, 'isPending'>
  accept: (answer: { token: string; draftKey?: string | undefined }) => Promise<boolean>
  end: (reason: SessionEndReason | undefined) => void
}

/** After a lost response: the server accepts the previous token until the client has used the next one (D22). */
export const refreshRetryDelayMs = 4_000
/** After a response 403 or 429. */
const refusedRetryDelayMs = 30_000

/** Half of exp minus iat, counted from receipt (SES04); at least 1 s. */
export function refreshDelayMs(claims: Pick<TokenClaims, 'exp' | 'iat'>): number {
  return Math.max(1_000, ((claims.exp - claims.iat) * 1_000) / 2)
}

export function createTokenRefresh(parts: Parts): TokenRefresh {
  const { device, store } = parts
  let cancelTimer: () => void = doNothing

  function schedule(delayMs: number) {
    cancelTimer()
    cancelTimer = device.after(delayMs, () => void refresh())
  }

  async function refresh(): Promise<boolean> {
    const tokenBefore = store.token()
    const hasEnded = store.watchEnd()
    return device.withLock('refresh-token', async () => {
      const token = store.token()
      if (token && token !== tokenBefore) return true
      // The cookie belongs to a session that the applicant left.
      if (parts.pendingLogout.isPending()) return false
      const result = await parts.call('refreshToken', {}, { background: true })
      // The applicant logged out during the request: the response must not sign them in again.
      if (hasEnded()) return false
      if (!result.ok) return handleProblem(result.problem)
      const isOther = await isOtherApplicant(store, result.value.data.token)
      if (hasEnded()) return false
      if (!isOther) return parts.accept(result.value.data)
      parts.end('refused')
      return false
    })
  }

  function handleProblem(problem: Problem): false {
    const isSignedIn = store.state().kind === 'signed-in'
    // A 403 (blocked network) or 429 (too many requests) does not end the session (S84).
    const isRefused = problem.kind === 'refused' && ![403, 429].includes(problem.status)
    if (isRefused) parts.end(isSignedIn ? 'refused' : undefined)
    // Without a response the session stays, and the client retries soon (S82).
    else if (isSignedIn) schedule(problem.kind === 'refused' ? refusedRetryDelayMs : refreshRetryDelayMs)
    return false
  }

  return { refresh, schedule, cancel: () => cancelTimer() }
}

/** All tabs share one cookie: another applicant may have signed in in another tab. This page must not show their data. */
async function isOtherApplicant(store: SessionStore, nextToken: string): Promise<boolean> {
  const claims = await readToken(nextToken)
  const state = store.state()
  return state.kind === 'signed-in' && claims !== undefined && claims.applicantId !== state.claims.applicantId
}

function doNothing(): void {}
