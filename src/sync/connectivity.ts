import { createListeners } from '#device/observable.ts'
import type { Device } from '#device/device.ts'

/** Whether the service can be reached, as far as this page knows. */
export type Connectivity = {
  /** True when the browser reports no network, or `/api/v1` did not answer the last call (D34). */
  isUnreachable: () => boolean
  subscribe: (listener: () => void) => () => void
  /** The API client reports here whether the service answered a call. */
  reportResponse: (answered: boolean) => void
}

/** The first probe is early because most faults are short. */
const probeDelaysMs = { first: 2_000, later: 15_000 }

/** `probe` calls `/api/v1`; the client reports the result of the call to `reportResponse`. */
export function createConnectivity(
  device: Pick<Device, 'seemsOnline' | 'onConnection' | 'after'>,
  probe?: () => void,
): Connectivity {
  const { subscribe, emit } = createListeners()
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
    // Send probes while the service is unreachable: only a response proves that it is back, and no other call may run.
    cancelProbe()
    if (unreachable && probe) scheduleProbe(probeDelaysMs.first)
    emit()
  }

  device.onConnection(online => {
    // The browser also reports "online" behind a captive portal: only a response proves that the service is back (D34).
    answered = online && probe === undefined
    update()
    if (online) probe?.()
  })

  if (unreachable && probe) scheduleProbe(probeDelaysMs.first)

  return {
    isUnreachable: () => unreachable,
    subscribe,
    reportResponse(result) {
      answered = result
      update()
    },
  }
}

function doNothing(): void {}
