import { createListeners } from '#device/observable.ts'
import type { TokenClaims } from '#contract/session.ts'

export type SessionState = { kind: 'signed-out' } | { kind: 'signed-in'; claims: TokenClaims }

/**
 * `asked`: the applicant logged out, in this tab or in another one.
 * `inactivity`: the applicant did nothing for too long, and no draft stays locked.
 * `locked`: inactivity, and the shared device keeps drafts that could not be sent, locked until the next sign-in (D31).
 * `lock-failed`: the same, but the storage did not lock them in time, so no row is deleted.
 * `erased`: a visitor of a kiosk ended a visit without a session (OFF16).
 * `refused`: the server refused the refresh, or the cookie that all tabs share is now that of another applicant's session.
 * `account-deleted`: the applicant has asked for the deletion of the account, here or on another device (D112).
 * `replaced`: another tab logged out, and another session has begun on this device. On a shared device also for a page that
 * was in the back-forward cache when another tab ended the session, because the page does not know why.
 */
export type SessionEndReason =
  | 'asked'
  | 'erased'
  | 'inactivity'
  | 'locked'
  | 'lock-failed'
  | 'refused'
  | 'account-deleted'
  | 'replaced'

/** The state that all parts of one session share. */
export type SessionStore = {
  state: () => SessionState
  /** The id of the signed-in applicant; undefined without a session. */
  signedInId: () => string | undefined
  /** Kept in memory only (S81). */
  token: () => string | undefined
  setToken: (token: string) => void
  /** Sets the state and emits. */
  setState: (state: SessionState) => void
  /** Drops the token and counts the end; the caller then sets the state. */
  dropToken: () => void
  /** Returns a check that is true once the session has ended after this call, for work that awaits in between. */
  watchEnd: () => () => boolean
  subscribe: (listener: () => void) => () => void
  emit: () => void
}

export function createSessionStore(): SessionStore {
  const { subscribe, emit } = createListeners()
  let state: SessionState = { kind: 'signed-out' }
  let token: string | undefined
  let endCount = 0

  return {
    state: () => state,
    signedInId: () => (state.kind === 'signed-in' ? state.claims.applicantId : undefined),
    token: () => token,
    setToken: next => void (token = next),
    setState(next) {
      state = next
      emit()
    },
    dropToken() {
      endCount += 1
      token = undefined
    },
    watchEnd() {
      const endCountBefore = endCount
      return () => endCount !== endCountBefore
    },
    subscribe,
    emit,
  }
}
