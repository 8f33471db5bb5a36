import type { Call } from '#api/client.ts'
import type { Problem } from '#api/result.ts'
import type { Device } from '#device/device.ts'
import { owedMark } from '#store/device-use.ts'

/** A log-out that the server must still hear of: until then the browser's cookie opens the session that was left. */
export type OwedLogOut = {
  isOwed: () => boolean
  /** Before the server is told: the debt outlives this page, and the clearing of a shared device. */
  owe: () => void
  /** Tells the server, and again until it has heard; settles with the first try. */
  tell: (manner?: { cleared: boolean }) => Promise<void>
  /** Somebody signs in, which ends what the cookie opened: no answer may take the new cookie away. */
  giveWay: () => void
  /** It has been heard of in another way. */
  settle: () => void
}

/** Only an answer tells that the line is mended. Milliseconds. */
const againAfter = 15_000

export function createOwedLogOut({
  device,
  call,
}: {
  device: Pick<Device, 'remember' | 'recall' | 'after' | 'onConnection'>
  call: Call
}): OwedLogOut {
  let asking: AbortController | undefined
  let cancel: () => void = nothing

  const isOwed = () => device.recall(owedMark) !== undefined

  async function tell({ cleared }: { cleared: boolean }) {
    cancel()
    const stop = new AbortController()
    asking = stop
    const answer = await call('logout', {}, { background: true, signal: stop.signal, cleared })
    if (asking === stop) asking = undefined
    if (answer.ok || isHeard(answer.problem)) settle()
    else if (isOwed()) tellLater()
  }

  function tellLater() {
    cancel()
    // What this device had is cleared by then.
    cancel = device.after(againAfter, () => void (isOwed() && tell({ cleared: true })))
  }

  function settle() {
    cancel()
    device.remember(owedMark, undefined)
  }

  device.onConnection(online => {
    if (online && isOwed() && !asking) void tell({ cleared: true })
  })

  return {
    isOwed,
    owe: () => device.remember(owedMark, '1'),
    tell: (manner = { cleared: false }) => tell(manner),
    giveWay: () => asking?.abort(),
    settle,
  }
}

/** A network that is shut out, or too many at once, says nothing of the session (S84). */
function isHeard(problem: Problem): boolean {
  return problem.kind === 'refused' && problem.status !== 403 && problem.status !== 429
}

function nothing(): void {}
