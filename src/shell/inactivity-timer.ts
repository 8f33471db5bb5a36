import type { Device, Unsubscribe } from '#device/device.ts'
import { createListeners } from '#device/observable.ts'
import type { Session } from '#session/session.ts'
import { followServerTime } from '#session/server-time.ts'
import { doNothing } from '#device/do-nothing.ts'

/** Counts down the last minute before an inactive applicant is logged out (SES10). */
export type InactivityTimer = {
  /** Undefined before the last minute, and without a session. */
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
/** While the warning is shown, only these count as activity: on `mousedown` it would close before the click. */
const warningEvents = ['keyup', 'click'] as const

const countdownIntervalMs = 500

/** Watches the applicant's activity while it has a listener. Without a session it does nothing (S79, NAV17). */
export function createInactivityTimer(
  device: Device,
  session: Session,
  isShared: () => boolean,
): InactivityTimer {
  const { subscribe, emit } = createListeners(start)
  const endIfInactive = createEnding(device, session, isShared)
  let seconds: number | undefined
  let cancelUpdate = doNothing

  function update() {
    cancelUpdate()
    const state = readInactivity(device, session)
    if (state?.kind === 'expired') {
      const isSudden = seconds === undefined
      setSeconds(undefined)
      void endIfInactive(isSudden, update)
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

function readInactivity(device: Device, session: Session) {
  const state = session.state()
  if (state.kind === 'signed-in') followServerTime(device, state.claims.iat * 1_000)
  return session.inactivity()
}

/** How long an expired session waits for the server's time. */
const serverTimeoutMs = 3_000

/**
 * Returns the function that logs an inactive applicant out. Without a warning before (`isSudden`), the clock of the phone may
 * have been set while the page was hidden. Then, on the applicant's own device, a new token brings the server's time, which
 * decides. `onStay` runs when the session goes on.
 */
function createEnding(device: Device, session: Session, isShared: () => boolean) {
  let isRunning = false

  return async (isSudden: boolean, onStay: () => void) => {
    if (isRunning) return
    isRunning = true
    try {
      if (isSudden && !isShared())
        await Promise.race([
          session.refresh(),
          new Promise<void>(resolve => void device.after(serverTimeoutMs, resolve)),
        ])
      if (readInactivity(device, session)?.kind === 'expired') return await session.logOut('inactivity')
    } finally {
      isRunning = false
    }
    onStay()
  }
}

function listen(type: string, run: () => void): Unsubscribe {
  const options = { capture: true, passive: true }
  addEventListener(type, run, options)
  return () => removeEventListener(type, run, options)
}
