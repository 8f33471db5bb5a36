import type { Device, Unsubscribe } from '#device/device.ts'
import { createListeners } from '#device/observable.ts'
import type { Session } from '#session/session.ts'
import { correctActivity, saveTokenTimes } from '#session/server-time.ts'
import { doNothing } from '#device/do-nothing.ts'

/** Counts down the last minute before an inactive applicant is logged out (SES10). */
export type InactivityTimer = {
  /** Undefined before the last minute, and without a session or without a time limit. */
  secondsLeft: () => number | undefined
  subscribe: (listener: () => void) => () => void
  /** Records activity of the applicant and ends the warning. */
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
/**
 * While the warning is shown, only these count as activity: on `mousedown` the warning would close before the click.
 */
const warningEvents = ['keyup', 'click'] as const

const countdownIntervalMs = 500

/** Watches the applicant's activity while it has a listener. Without a session it does nothing (S79, NAV17). */
export function createInactivityTimer(
  device: Device,
  session: Session,
  isShared: () => boolean,
): InactivityTimer {
  const { subscribe, emit } = createListeners(start)
  const readInactivity = createReader(device, session, isShared)
  let seconds: number | undefined
  let cancelUpdate = doNothing

  function update() {
    cancelUpdate()
    const state = readInactivity()
    if (state?.kind === 'expired') {
      setSeconds(undefined)
      void session.logOut('inactivity')
      return
    }
    if (state)
      cancelUpdate = device.after(state.kind === 'warning' ? countdownIntervalMs : state.checkAfterMs, update)
    setSeconds(state?.kind === 'warning' ? state.secondsLeft : undefined)
  }

  function setSeconds(next: number | undefined) {
    if (next === seconds) return
    seconds = next
    emit()
  }

  function recordActivity() {
    if (seconds === undefined) session.recordActivity()
  }

  function stay() {
    session.recordActivity()
    update()
  }

  function answerWarning() {
    if (seconds !== undefined) stay()
  }

  function start(): Unsubscribe {
    const stops = [
      session.subscribe(update),
      // Timers do not run while the phone sleeps, so read the time again on wake-up (S85).
      device.onPageVisible(update),
      ...activityEvents.map(type => listen(type, recordActivity)),
      ...warningEvents.map(type => listen(type, answerWarning)),
    ]
    update()
    return () => {
      cancelUpdate()
      for (const stop of stops) stop()
    }
  }

  return { secondsLeft: () => seconds, subscribe, stay }
}

/**
 * Returns the function that reads the inactivity. The phone's clock may have been set while no page was open, so this
 * page compares it once with the server's time in its first claims (of a token, or cached), and corrects the last
 * activity. Later the page needs only its own wall clock and monotonic clock (`idleAfter` in session/idle-time.ts). For
 * the next page it saves the times of each new token. On a shared device it does neither of the two: after a clock was
 * set forward between two pages, the log-out comes too early; after one was set back, too late.
 */
function createReader(device: Device, session: Session, isShared: () => boolean): Session['inactivity'] {
  let hasStarted = false

  return () => {
    const state = session.state()
    const claims = state.kind === 'signed-in' && !isShared() ? state.claims : undefined
    if (claims && !hasStarted) correctActivity(device, claims, session.startedAtMs)
    hasStarted ||= claims !== undefined
    const inactivity = session.inactivity()
    // After the time limit the token's times are not saved: a page that is loaded again during the log-out must log out too.
    if (claims && inactivity?.kind !== 'expired') saveTokenTimes(device, claims, inactivity?.idleMs)
    return inactivity
  }
}

function listen(type: string, run: () => void): Unsubscribe {
  const options = { capture: true, passive: true }
  addEventListener(type, run, options)
  return () => removeEventListener(type, run, options)
}
