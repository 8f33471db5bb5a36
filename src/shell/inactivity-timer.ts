import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'

/** Seconds until an idle applicant is logged out, once that is near (SES10); undefined while it is not. */
export type InactivityTimer = {
  secondsLeft: () => number | undefined
  subscribe: (listener: () => void) => () => void
  /** Somebody is here. */
  stay: () => void
}

const activityEvents = [
  'keydown',
  'mousemove',
  'mousedown',
  'click',
  'touchstart',
  'scroll',
  'wheel',
] as const
/** Near the end only what comes after a press: the warning must not vanish from under the finger. */
const warningEvents = ['keyup', 'click'] as const

/** Watches for signs of life while somebody looks on; it does nothing without a session (S79, NAV17). */
export function createInactivityTimer(device: Device, session: Session): InactivityTimer {
  const listeners = new Set<() => void>()
  let seconds: number | undefined
  let cancel = doNothing

  function update() {
    cancel()
    const state = session.inactivity()
    if (state?.kind === 'over') {
      setSeconds(undefined)
      void session.logOut('inactivity')
      return
    }
    if (state) cancel = device.after(state.kind === 'warning' ? 500 : state.checkAfterMs, update)
    setSeconds(state?.kind === 'warning' ? state.secondsLeft : undefined)
  }

  function setSeconds(next: number | undefined) {
    if (next === seconds) return
    seconds = next
    for (const listener of listeners) listener()
  }

  const recordActivity = () => {
    if (seconds === undefined) session.recordActivity()
  }
  const stay = () => {
    session.recordActivity()
    update()
  }
  const answer = () => {
    if (seconds !== undefined) stay()
  }

  function start(): () => void {
    const stops = [
      session.subscribe(update),
      // Timers sleep with the phone: the time is read anew (S85).
      device.onPageVisible(update),
      ...activityEvents.map(type => listen(type, recordActivity)),
      ...warningEvents.map(type => listen(type, answer)),
    ]
    update()
    return () => {
      cancel()
      for (const stop of stops) stop()
    }
  }

  let stop = doNothing
  return {
    secondsLeft: () => seconds,
    subscribe(listener) {
      if (listeners.size === 0) stop = start()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
    stay,
  }
}

function doNothing(): void {}

function listen(type: string, run: () => void): () => void {
  const options = { capture: true, passive: true }
  addEventListener(type, run, options)
  return () => removeEventListener(type, run, options)
}
