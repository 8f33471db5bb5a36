import type { Device } from '#device/device.ts'

/** Whether the service can be reached, as far as anybody knows. */
export type Connectivity = {
  /** True when the device says so, or `/api/v1` last went unanswered (D34). */
  isUnreachable: () => boolean
  subscribe: (listener: () => void) => () => void
  /** What a call has just learnt. */
  reportResponse: (answered: boolean) => void
}

/** A line that went unanswered is tried again soon, as most faults are short, and then now and then. Milliseconds. */
const probeDelaysMs = { first: 2_000, later: 15_000 }

/** `probe` asks for something that only `/api/v1` gives; what it finds comes back through `reached`. */
export function createConnectivity(
  device: Pick<Device, 'seemsOnline' | 'onConnection' | 'after'>,
  probe?: () => void,
): Connectivity {
  const listeners = new Set<() => void>()
  let answered = true
  let unreachable = !device.seemsOnline()
  let cancelProbe: () => void = doNothing

  function scheduleProbe(delayMs: number) {
    cancelProbe = device.after(delayMs, () => {
      scheduleProbe(probeDelaysMs.later)
      probe?.()
    })
  }

  function update() {
    const now = !device.seemsOnline() || !answered
    if (now === unreachable) return
    unreachable = now
    // Only an answer tells that the line is mended, and perhaps nothing else asks for one.
    cancelProbe()
    if (unreachable && probe) scheduleProbe(probeDelaysMs.first)
    for (const listener of listeners) listener()
  }

  device.onConnection(online => {
    // Back on line, says the device, and perhaps only as far as a captive portal: an answer tells (D34).
    answered = online && probe === undefined
    update()
    if (online) probe?.()
  })

  if (unreachable && probe) scheduleProbe(probeDelaysMs.first)

  return {
    isUnreachable: () => unreachable,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reportResponse(result) {
      answered = result
      update()
    },
  }
}

function doNothing(): void {}
