import type { Device } from '#device/device.ts'
import type { Session } from '#session/session.ts'

/** Seconds until an idle applicant is logged out, once that is near (SES10); undefined while it is not. */
export type IdleClock = {
  secondsLeft: () => number | undefined
  subscribe: (listener: () => void) => () => void
  /** Somebody is here. */
  stay: () => void
}

const signsOfLife = ['keydown', 'mousemove', 'mousedown', 'click', 'touchstart', 'scroll', 'wheel'] as const
/** Near the end only what comes after a press: the warning must not vanish from under the finger. */
const answers = ['keyup', 'click'] as const

/** Watches for signs of life while somebody looks on; it does nothing without a session (S79, NAV17). */
export function createIdleClock(device: Device, session: Session): IdleClock {
  const listeners = new Set<() => void>()
  let seconds: number | undefined
  let cancel = doNothing

  function look() {
    cancel()
    const state = session.inactivity()
    if (state?.kind === 'over') {
      show(undefined)
      void session.logOut('inactivity')
      return
    }
    if (state) cancel = device.after(state.kind === 'warning' ? 500 : state.checkAfter, look)
    show(state?.kind === 'warning' ? state.secondsLeft : undefined)
  }

  function show(next: number | undefined) {
    if (next === seconds) return
    seconds = next
    for (const listener of listeners) listener()
  }

  const live = () => {
    if (seconds === undefined) session.touch()
  }
  const stay = () => {
    session.touch()
    look()
  }
  const answer = () => {
    if (seconds !== undefined) stay()
  }

  function start(): () => void {
    const stops = [
      session.subscribe(look),
      // Timers sleep with the phone: the time is read anew (S85).
      device.onReturn(look),
      ...signsOfLife.map(type => listen(type, live)),
      ...answers.map(type => listen(type, answer)),
    ]
    look()
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
