import type { Device } from '#device/device.ts'

/** Whether the service can be reached, as far as anybody knows. */
export type Line = {
  /** True when the device says so, or `/api/v1` last went unanswered (D34). */
  isDown: () => boolean
  subscribe: (listener: () => void) => () => void
  /** What a call has just learnt. */
  reached: (answered: boolean) => void
}

/** `probe` asks for something that only `/api/v1` gives; what it finds comes back through `reached`. */
export function createLine(device: Pick<Device, 'seemsOnline' | 'onConnection'>, probe?: () => void): Line {
  const listeners = new Set<() => void>()
  let answered = true
  let down = !device.seemsOnline()

  function look() {
    const now = !device.seemsOnline() || !answered
    if (now === down) return
    down = now
    for (const listener of listeners) listener()
  }

  device.onConnection(online => {
    // Back on line, says the device, and perhaps only as far as a captive portal: an answer tells (D34).
    answered = online && probe === undefined
    look()
    if (online) probe?.()
  })

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
