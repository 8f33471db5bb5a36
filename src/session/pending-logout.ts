import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { Device } from '#device/device.ts'
import { pendingLogoutKey } from '#store/device-use.ts'

/** A log-out that the server must still hear of: until then the browser's cookie opens the session that was left. */
export type PendingLogout = {
  isPending: () => boolean
  /** Before the server is told: the debt outlives this page, and the clearing of a shared device. */
  markPending: () => void
  /** Tells the server, and again until it has heard; settles with the first try. */
  send: (manner?: { cleared: boolean }) => Promise<void>
  /** Somebody signs in, which ends what the cookie opened: no answer may take the new cookie away. */
  abort: () => void
  /** It has been heard of in another way. */
  clear: () => void
}

/** Only an answer tells that the line is mended. Milliseconds. */
const retryDelayMs = 15_000

export function createPendingLogout({
  device,
  call,
}: {
  device: Pick<Device, 'saveText' | 'readText' | 'after' | 'onConnection'>
  call: Call
}): PendingLogout {
  let request: AbortController | undefined
  let cancelRetry: () => void = doNothing

  const isPending = () => device.readText(pendingLogoutKey) !== undefined

  async function send({ cleared: isDeviceCleared }: { cleared: boolean }) {
    cancelRetry()
    const controller = new AbortController()
    request = controller
    const answer = await call('logout', {}, { background: true, signal: controller.signal, isDeviceCleared })
    if (request === controller) request = undefined
    if (answer.ok || isFinalAnswer(answer.problem)) clear()
    else if (isPending()) retryLater()
  }

  function retryLater() {
    cancelRetry()
    // What this device had is cleared by then.
    cancelRetry = device.after(retryDelayMs, () => void (isPending() && send({ cleared: true })))
  }

  function clear() {
    cancelRetry()
    device.saveText(pendingLogoutKey, undefined)
  }

  device.onConnection(online => {
    if (online && isPending() && !request) void send({ cleared: true })
  })

  return {
    isPending,
    markPending: () => device.saveText(pendingLogoutKey, '1'),
    send: (manner = { cleared: false }) => send(manner),
    abort: () => request?.abort(),
    clear,
  }
}

/** A network that is shut out, or too many at once, says nothing of the session (S84). */
function isFinalAnswer(problem: Problem): boolean {
  return problem.kind === 'refused' && problem.status !== 403 && problem.status !== 429
}

function doNothing(): void {}
