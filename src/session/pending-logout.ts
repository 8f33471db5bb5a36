import type { Call, CallOptions } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { pendingLogoutKey } from '#store/device-use.ts'
import { holdLock } from './hold-lock.ts'

/** A log-out that the server has not confirmed: until then the browser's cookie still opens the session. */
export type PendingLogout = {
  isPending: () => boolean
  /** Sets the flag, and sends nothing. The flag survives a reload and the wipe of a shared device. */
  markPending: () => void
  /**
   * Sends the log-out request and retries it until the server confirms or refuses it; resolves after the first attempt.
   * Sends nothing during a sign-in in this tab (`holdForSignIn`). With `keepsSiteData` the response does not ask the
   * browser to delete its data (D31). Only the first attempt sends `token`, because a later session may be open at a
   * retry.
   */
  send: (options?: SendOptions) => Promise<void>
  /** Sends the request again, also that of an earlier page. While a tab signs in, plans a later retry instead. */
  retry: () => Promise<void>
  /**
   * Aborts the request, also in the other tabs, and sends none until the returned function is called: during a sign-in
   * the response to the log-out would delete the new cookie, which all tabs share. The returned function aborts what
   * another tab has sent since. If the flag is set then, because the sign-in has failed or a log-out came during it, it
   * plans a retry instead.
   */
  holdForSignIn: () => () => void
  /** Removes the flag and the planned retry, after the session has ended on the server in another way. */
  clear: () => void
}

type SendOptions = Pick<CallOptions, 'keepsSiteData' | 'token'>

export const retryDelayMs = 15_000
/** A tab holds this lock while it signs in. */
export const signInLock = 'sign-in'

type Parts = {
  device: Pick<
    Device,
    | 'saveText'
    | 'readText'
    | 'after'
    | 'onConnection'
    | 'broadcast'
    | 'onBroadcast'
    | 'withLock'
    | 'isLockHeld'
  >
  call: Call
}

export function createPendingLogout({ device, call }: Parts): PendingLogout {
  let request: AbortController | undefined
  let cancelRetry: () => void = doNothing
  let isHeld = false

  const isPending = () => device.readText(pendingLogoutKey) !== undefined

  async function send(options?: SendOptions) {
    cancelRetry()
    if (isHeld) return
    const controller = new AbortController()
    request = controller
    const answer = await call('logout', {}, { ...options, background: true, signal: controller.signal })
    if (request === controller) request = undefined
    if (answer.ok || isFinalAnswer(answer.problem)) clear()
    else if (isPending()) retryLater()
  }

  function retryLater() {
    cancelRetry()
    cancelRetry = device.after(retryDelayMs, () => void retry())
  }

  async function retry() {
    if (await device.isLockHeld(signInLock)) retryLater()
    // With `keepsSiteData`, because the wipe of a shared device is over by now.
    else if (isPending()) await send({ keepsSiteData: true })
  }

  function clear() {
    cancelRetry()
    device.saveText(pendingLogoutKey, undefined)
  }

  device.onConnection(online => {
    if (online && isPending() && !request) void retry()
  })
  device.onBroadcast(({ kind }) => void (kind === 'signing-in' && request?.abort()))

  return {
    isPending,
    markPending: () => device.saveText(pendingLogoutKey, '1'),
    send,
    retry,
    holdForSignIn() {
      isHeld = true
      request?.abort()
      const release = holdLock(device, signInLock)
      device.broadcast({ kind: 'signing-in' })
      return () => {
        isHeld = false
        release()
        if (isPending()) retryLater()
        else device.broadcast({ kind: 'signing-in' })
      }
    },
    clear,
  }
}

/**
 * A 403 (blocked network) or 429 (too many requests) says nothing about the session (S84). Where the server does not
 * mark its answers, a proxy may have answered 404, 408 or 425 (D5, D60).
 */
function isFinalAnswer(problem: Problem): boolean {
  return problem.kind === 'refused' && ![403, 404, 408, 425, 429].includes(problem.status)
}
