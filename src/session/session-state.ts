import { createListeners } from '#device/observable.ts'
import type { TokenClaims } from '#contract/session.ts'

export type SessionState = { kind: 'signed-out' } | { kind: 'signed-in'; claims: TokenClaims }

/**
 * `asked`: the applicant logged out, in this tab or in another one. Also when, on the applicant's own device, a page
 * comes back from the back-forward cache after another tab has ended the session.
 * `inactivity`: the applicant did nothing for too long, and no draft of this applicant was locked. Also when, on a shared
 * device, the applicant left the page of the sign-in while the session was being opened.
 * `locked`: inactivity, and the shared device keeps drafts that could not be sent, locked until the next sign-in (D31).
 * `lock-failed`: as `locked`, but the storage did not lock the drafts in time: the end of the session deletes no draft.
 * `erased`: a visit to a kiosk has ended without a sign-in (OFF16).
 * `refused`: the server refused the refresh, or another applicant has signed in in this browser, whose tabs share one cookie.
 * `account-deleted`: the applicant has asked for the deletion of the account, here or on another device (D112).
 * `replaced`: another tab had begun a session when this or another tab logged out, or when a page came back from the
 * back-forward cache. Also when, on a shared device, a page comes back from this cache after another tab has ended the
 * session: the page does not know why the session has ended.
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
  /** Drops the token, and lets the functions from `watchEnd` report the end; the caller then sets the state. */
  dropToken: () => void
  /** Returns a function that says whether the session has ended since this call. For work that waits in between. */
  watchEnd: () => () => boolean
  subscribe: (listener: () => void) => () => void
  emit: () => void
}

export function isSignedIn({ state }: Pick<SessionStore, 'state'>): boolean {
  return state().kind === 'signed-in'
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
