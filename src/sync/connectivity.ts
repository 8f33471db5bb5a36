import type { Reach } from '#api/result.ts'
import { createListeners, createObservable } from '#device/observable.ts'
import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import { isUnreachable, type ConnectionState, connectionStateOf } from './connection-state.ts'

/** Whether the service can be reached, as far as this page knows. */
export type Connectivity = {
  /**
   * True when the browser reports no network, or `/api/v1` did not answer the last call (D34). After the browser has reported
   * a network again, true until a call gets an answer.
   */
  isUnreachable: () => boolean
  /**
   * For an action that needs the service: resolves to true when it can be reached. After a failed call the service is
   * probed first, because it may be back already. Resolves within 10 seconds, at once when the browser reports no
   * network.
   */
  probeIfNeeded: () => Promise<boolean>
  /** Calls the listener when `isUnreachable` changes. */
  subscribe: (listener: () => void) => () => void
  /** For the banner. It changes more often than `isUnreachable`. */
  state: () => ConnectionState
  subscribeToState: (listener: () => void) => () => void
  /**
   * When the call of the applicant is sent again to a busy service. Undefined once the service is not `busy` any more,
   * or once an attempt after that time plans no further one.
   */
  nextTry: () => NextTry | undefined
  subscribeToNextTry: (listener: () => void) => () => void
  /**
   * The API client reports here what each attempt of a call says about the connection, and for a busy service in how many
   * seconds it sends the call again; undefined when it does not.
   */
  reportResponse: (reach: Reach, retryAfterSeconds?: number) => void
}

/** `until`: wall clock, milliseconds. `length`: of the whole wait, in seconds. */
type NextTry = { until: number; length: number }

/**
 * The delays before the first probes are short, because most faults are short. Then there is one probe a minute: each one
 * wakes the processor and the radio of the phone. A page that is shown again, a network that is back and an action that
 * needs the service do not wait for the next probe.
 */
const firstProbeDelaysMs = [2_000, 15_000, 15_000, 15_000, 15_000]
const laterProbeDelayMs = 60_000

/**
 * How long the banner says that the service is busy. There is no probe, because it would add to the service's work. The service
 * of this repository asks for at most 15 s (D92); when another one asks for more, the banner stays until after the next try.
 */
const busyMs = 30_000
const busyAfterTryMs = 15_000

/** The applicant waits for the probe of `probeIfNeeded`. */
const actionProbeTimeoutMs = 10_000

/** `probe` calls `/api/v1`; the client reports the result of the call to `reportResponse` before the probe resolves. */
export function createConnectivity(
  device: Pick<Device, 'seemsOnline' | 'onConnection' | 'onPageVisible' | 'after' | 'now'>,
  probe?: () => Promise<unknown>,
): Connectivity {
  const { subscribe, emit } = createListeners()
  let reach: Reach = 'answered'
  const readState = () => connectionStateOf({ seemsOnline: device.seemsOnline(), reach })
  const source = createObservable<ConnectionState>(readState())
  const nextTry = createObservable<NextTry | undefined>(undefined)
  const probes = createProbes(device, probe)
  let cancelBusy: () => void = doNothing

  function probeNow() {
    if (isUnreachable(source.state())) probes.sendNow()
  }

  function update(next: Reach, retryAfterSeconds?: number) {
    cancelBusy()
    if (retryAfterSeconds !== undefined) nextTry.setState(nextTryIn(retryAfterSeconds, device.now()))
    // A call in the background is not sent again, but that of the applicant still waits for its next try.
    else if (next !== 'busy' || device.now() >= (nextTry.state()?.until ?? 0)) nextTry.setState(undefined)
    reach = next
    const shownMs = busyTimeMs(nextTry.state(), device.now())
    if (reach === 'busy') cancelBusy = device.after(shownMs, () => update('answered'))
    const wasUnreachable = isUnreachable(source.state())
    const state = readState()
    if (state !== source.state()) source.setState(state)
    if (isUnreachable(state) === wasUnreachable) return
    // Send probes while the service is unreachable: only a response proves that it is back, and perhaps no other call runs.
    if (wasUnreachable) probes.stop()
    else probes.start()
    emit()
  }

  device.onConnection(online => {
    // The browser also reports "online" behind a captive portal: only a response proves that the service is back (D34).
    update(online && probe === undefined ? 'answered' : 'no-answer')
    if (online) probeNow()
  })
  device.onPageVisible(probeNow)

  if (isUnreachable(source.state())) probes.start()

  async function probeIfNeeded() {
    const state = source.state()
    if (probe && isUnreachable(state) && state !== 'offline') await waitForProbe(probe, { device, subscribe })
    return !isUnreachable(source.state())
  }

  return {
    isUnreachable: () => isUnreachable(source.state()),
    probeIfNeeded,
    subscribe,
    state: source.state,
    subscribeToState: source.subscribe,
    nextTry: nextTry.state,
    subscribeToNextTry: nextTry.subscribe,
    reportResponse: update,
  }
}

/** Repeats a probe until `stop`. */
function createProbes(device: Pick<Device, 'after'>, probe: (() => Promise<unknown>) | undefined) {
  let cancel: () => void = doNothing

  function schedule(delaysMs: readonly number[]) {
    cancel()
    if (!probe) return
    const [delayMs = laterProbeDelayMs, ...nextDelaysMs] = delaysMs
    cancel = device.after(delayMs, () => {
      schedule(nextDelaysMs)
      void probe()
    })
  }

  return {
    start: () => schedule(firstProbeDelaysMs),
    sendNow() {
      schedule(firstProbeDelaysMs)
      void probe?.()
    },
    stop: () => cancel(),
  }
}

function busyTimeMs(nextTry: NextTry | undefined, nowMs: number): number {
  return nextTry ? Math.max(busyMs, nextTry.until - nowMs + busyAfterTryMs) : busyMs
}

function nextTryIn(length: number, nowMs: number): NextTry {
  return { until: nowMs + length * 1_000, length }
}

type ProbeParts = { device: Pick<Device, 'after'>; subscribe: Connectivity['subscribe'] }

/** Resolves when the probe has ended, when another call reached the service, or after the timeout. */
function waitForProbe(send: () => Promise<unknown>, { device, subscribe }: ProbeParts): Promise<void> {
  return new Promise<void>(resolve => {
    const cancelTimeout = device.after(actionProbeTimeoutMs, finish)
    const unsubscribe = subscribe(finish)
    void send().then(finish)

    function finish() {
      cancelTimeout()
      unsubscribe()
      resolve()
    }
  })
}
