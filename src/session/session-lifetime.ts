import type { RefreshAnswer, TokenClaims } from '#contract/session.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { Activity } from './activity.ts'
import { readToken } from './read-token.ts'
import type { SessionFlag } from './session-flag.ts'
import type { SessionId } from './session-id.ts'
import type { SessionEndReason, SessionStore } from './session-state.ts'
import { refreshDelayMs, type TokenRefresh } from './token-refresh.ts'

export type TokenAnswer = RefreshAnswer

/** The secrets from which the store of this applicant derives its keys. */
type StoreKeys = {
  applicantId: string
  draftKey: string | undefined
  previousDraftKey: string | undefined
  /** The server's time when it issued the token, Unix milliseconds. */
  issuedAtMs: number
}

export type LifetimeHooks = {
  /**
   * Unlocks the store for this applicant after a sign-in or a reload. A refreshed token keeps the keys, unless the server
   * sends others with it (D110). When the hook fails, the session opens all the same, the form says that it cannot save, and
   * the next refresh calls the hook again.
   */
  onOpen: (keys: StoreKeys) => Promise<void>
  /** Caches the claims of every new token, unless `onOpen` fails, for a start without the server (D23). */
  writeCachedClaims?: (claims: TokenClaims) => Promise<void>
  /**
   * `answered` resolves when the log-out request has got a response or has failed. `opened`, if the session was still being
   * opened, resolves when `onOpen` and `writeCachedClaims` have ended: before that, the hook must not lock the store.
   */
  onEnd: (reason: SessionEndReason, answered: Promise<unknown>, opened?: Promise<void>) => Promise<void>
}

/**
 * Where a token comes from. `change`: a change of the account, in the session that is open; it stays the session that it was,
 * also when another tab has begun one since.
 */
type TokenSource = 'sign-in' | 'refresh' | 'change'

/**
 * Opens and ends the session. An end signs out at once, but its hook waits for a running opening. An opening waits for
 * the hook of a running end.
 */
export type SessionLifetime = {
  /**
   * Opens the session after a sign-in, and opens or continues it with another token, also after a reload. Resolves to false
   * when the token is unreadable or the session ends during the opening.
   * @throws when the chunk that reads tokens cannot be loaded.
   */
  open: (answer: TokenAnswer, source: TokenSource) => Promise<boolean>
  /** Without a `reason` no hook runs, because no session was open. */
  end: (reason: SessionEndReason | undefined, answered?: Promise<unknown>) => Promise<void>
  /** The applicant whose session is being opened; undefined while none is. */
  openingFor: () => string | undefined
  /** Whether a shared device may lock drafts: the applicant's next sign-in opens them only with a `draftKey`. */
  canLockDrafts: () => boolean
}

type Parts = {
  hooks: LifetimeHooks
  store: SessionStore
  activity: Activity
  flag: SessionFlag
  sessionId: SessionId
  tokenRefresh: Pick<TokenRefresh, 'schedule' | 'cancel'>
}

export function createSessionLifetime(parts: Parts): SessionLifetime {
  const { hooks, store, activity, flag, sessionId, tokenRefresh } = parts
  let opening: { applicantId: string; done: Promise<void> } | undefined
  let closing: Promise<void> | undefined
  const storeUnlock = createStoreUnlock(parts)
  let hasDraftKey = false

  async function open(answer: TokenAnswer, source: TokenSource): Promise<boolean> {
    const isSignIn = source === 'sign-in'
    if (isSignIn) storeUnlock.reset()
    const hasEnded = store.watchEnd()
    const claims = await readToken(answer.token)
    if (!claims) return false
    const isSameApplicant = () => store.signedInId() === claims.applicantId
    // The sign-in pages are open to everybody (S50). The new cookie has ended the session of this page's earlier applicant.
    if (isSignIn && store.signedInId() !== undefined && !isSameApplicant()) {
      // A store that fails must not stop the sign-in, whose one-time code is used up.
      await end('refused').catch(doNothing)
      return open(answer, source)
    }
    // Wait until the store is locked for the previous applicant: a later lock would lock out the next applicant.
    if (closing) await closing
    if (hasEnded()) return false
    store.setToken(answer.token)
    if (source !== 'change') sessionId.follow({ isNew: isSignIn && !isSameApplicant() })
    hasDraftKey = answer.draftKey !== undefined || (hasDraftKey && !isSignIn) // a refresh may leave the key out
    opening = { applicantId: claims.applicantId, done: storeUnlock.run(answer, claims).catch(doNothing) }
    await opening.done
    opening = undefined
    // If the session ended while the store was being unlocked, stay signed out.
    if (hasEnded()) return false
    if (isSignIn) activity.save()
    else activity.saveIfMissing()
    flag.save()
    tokenRefresh.schedule(refreshDelayMs(claims))
    store.setState({ kind: 'signed-in', claims })
    return true
  }

  function end(reason: SessionEndReason | undefined, answered: Promise<unknown> = resolved): Promise<void> {
    storeUnlock.reset()
    tokenRefresh.cancel()
    store.dropToken()
    removeTexts({ flag, activity, sessionId }, reason)
    store.setState({ kind: 'signed-out' })
    if (!reason) return resolved
    const closed = hooks.onEnd(reason, answered, opening?.done)
    closing = closed.catch(doNothing).finally(() => (closing = undefined))
    return closed
  }

  return {
    open,
    end,
    openingFor: () => opening?.applicantId,
    canLockDrafts: () => hasDraftKey,
  }
}

/** Unlocks the store when it is not open with the keys that the server has sent. */
function createStoreUnlock({ hooks, store }: Pick<Parts, 'hooks' | 'store'>) {
  let unlockedWith: StoreKeys | undefined

  return {
    async run({ draftKey, previousDraftKey }: TokenAnswer, claims: TokenClaims): Promise<void> {
      const hasEnded = store.watchEnd()
      const { applicantId, iat } = claims
      const keys = { applicantId, draftKey, previousDraftKey, issuedAtMs: iat * 1_000 }
      if (!unlockedWith || needsUnlock(unlockedWith, keys)) {
        await hooks.onOpen(keys)
        if (!hasEnded()) unlockedWith = keys
      }
      await hooks.writeCachedClaims?.(claims)
    },
    /** The next answer unlocks the store again. */
    reset: () => (unlockedWith = undefined),
  }
}

/** A back end that sends no key with a refreshed token has not changed it. */
function needsUnlock(before: StoreKeys, { applicantId, draftKey, previousDraftKey }: StoreKeys): boolean {
  if (before.applicantId !== applicantId) return true
  if (draftKey === undefined) return false
  return before.draftKey !== draftKey || before.previousDraftKey !== previousDraftKey
}

/** Removes what this device has saved of the session. */
function removeTexts(
  { flag, activity, sessionId }: Pick<Parts, 'flag' | 'activity' | 'sessionId'>,
  reason: SessionEndReason | undefined,
): void {
  // Before the flag is removed: a page without the flag sends no refresh, so no answer tells it of the deletion again.
  if (reason === 'account-deleted') sessionId.markPendingErase()
  // Another session may have begun in another tab. It continues, unless it had begun before the log-out of this tab, which ends
  // it too: all tabs share the cookie.
  const keepsOther = sessionId.isReplaced() && (reason === 'replaced' || sessionId.hasNewer())
  flag.remove({ onlyInTab: keepsOther })
  if (keepsOther) return
  activity.remove()
  sessionId.remove()
}

const resolved = Promise.resolve()
