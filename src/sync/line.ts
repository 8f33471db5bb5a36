import type { Device } from '#device/device.ts'

/** Whether the service can be reached, as far as anybody knows. */
export type Line = {
  /** True when the device says so, or `/api/v1` last went unanswered (D34). */
  isDown: () => boolean
  subscribe: (listener: () => void) => () => void
  /** What a call has just learnt. */
  reached: (answered: boolean) => void
}

/** A line that went unanswered is tried again soon, as most faults are short, and then now and then. Milliseconds. */
const tryAgainAfter = { first: 2_000, later: 15_000 }

/** `probe` asks for something that only `/api/v1` gives; what it finds comes back through `reached`. */
export function createLine(
  device: Pick<Device, 'seemsOnline' | 'onConnection' | 'after'>,
  probe?: () => void,
): Line {
  const listeners = new Set<() => void>()
  let answered = true
  let down = !device.seemsOnline()
  let stopTrying: () => void = nothing

  function tryAgain(pause: number) {
    stopTrying = device.after(pause, () => {
      tryAgain(tryAgainAfter.later)
      probe?.()
    })
  }

  function look() {
    const now = !device.seemsOnline() || !answered
    if (now === down) return
    down = now
    // Only an answer tells that the line is mended, and perhaps nothing else asks for one.
    stopTrying()
    if (down && probe) tryAgain(tryAgainAfter.first)
    for (const listener of listeners) listener()
  }

  device.onConnection(online => {
    // Back on line, says the device, and perhaps only as far as a captive portal: an answer tells (D34).
    answered = online && probe === undefined
    look()
    if (online) probe?.()
  })

  if (down && probe) tryAgain(tryAgainAfter.first)

  return {
    isDown: () => down,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reached(result) {
      answered = result
      look()
    },
  }
}

function nothing(): void {}
