import { kioskInactivitySeconds } from '#contract/codes.ts'
import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import { type DeviceUse, lastActivityKey } from '#store/device-use.ts'
import { type IdleNote, idleAfter } from './idle-time.ts'
import { countsAsActivity, type Inactivity, inactivityAfter } from './inactivity.ts'

/** The last activity of the applicant, shared by all tabs of this device (SES07–SES11). */
export type Activity = {
  /** Saves the current time as that of the last activity. */
  save: () => void
  saveIfMissing: () => void
  remove: () => void
  /**
   * Saves the current time after an act of the applicant, at most once per 15 s (SES09), and not after the time limit.
   */
  record: (claims: TokenClaims) => void
  /** Undefined when the session has no time limit. */
  inactivity: (claims: TokenClaims) => Inactivity | undefined
  /**
   * For a page that starts without an answer of the server: whether the time limit has ended. A token without a limit gets
   * 15 minutes. True too when no last activity is saved.
   */
  isExpiredAtStart: (claims: TokenClaims) => boolean
}

const defaultLimitSeconds = 15 * 60

type ActivityDevice = Pick<
  Device,
  'now' | 'monotonic' | 'readText' | 'saveText' | 'isPageVisible' | 'onPageVisible'
>

export function createActivity(device: ActivityDevice, deviceUse: () => DeviceUse): Activity {
  /** Monotonic time of this tab's last save, because reading the storage at every keystroke is slow. */
  let savedAtMs = -Infinity
  let note: IdleNote | undefined
  let wasHidden = false

  // This listener runs before that of the inactivity timer, which is created later and reads the idle time.
  device.onPageVisible(() => (wasHidden = true))

  function readNow() {
    return {
      stamp: readStamp(device),
      wallMs: device.now(),
      monotonicMs: device.monotonic(),
    }
  }

  /** Milliseconds since the last activity in any tab of this device. */
  function readIdleMs(): number {
    // After a sleep a timer may run before the browser says that the page is visible again.
    note = idleAfter(note, { ...readNow(), wasHidden: wasHidden || !device.isPageVisible() })
    wasHidden = !device.isPageVisible()
    return note.idleMs
  }

  function save() {
    savedAtMs = device.monotonic()
    device.saveText(lastActivityKey, String(device.now()))
    note = { ...readNow(), idleMs: 0 }
    wasHidden = !device.isPageVisible()
  }

  function inactivity(claims: TokenClaims): Inactivity | undefined {
    const limitSeconds = limitSecondsOf(claims, deviceUse())
    return limitSeconds ? inactivityAfter(readIdleMs(), limitSeconds) : undefined
  }

  return {
    save,
    saveIfMissing() {
      if (readStamp(device) === undefined) save()
    },
    remove() {
      device.saveText(lastActivityKey, undefined)
      note = undefined
    },
    record(claims) {
      if (!countsAsActivity(device.monotonic() - savedAtMs)) return
      // After a sleep a key may come before the timer that logs out. Another tab may have saved a later time.
      if (inactivity(claims)?.kind === 'expired') return
      if (readStamp(device) === undefined || countsAsActivity(readIdleMs())) save()
    },
    inactivity,
    isExpiredAtStart(claims) {
      if (readStamp(device) === undefined) return true
      const limitSeconds = limitSecondsOf(claims, deviceUse()) ?? defaultLimitSeconds
      return inactivityAfter(readIdleMs(), limitSeconds).kind === 'expired'
    },
  }
}

/** When a tab last saved an activity. Undefined when the storage has none, or a text that is not a time. */
function readStamp(device: Pick<Device, 'readText'>): string | undefined {
  const text = device.readText(lastActivityKey)
  return text && Number.isFinite(Number(text)) ? text : undefined
}

/** On a kiosk the limit is at most 120 s (D38). */
function limitSecondsOf({ inactivity }: TokenClaims, deviceUse: DeviceUse): number | undefined {
  if (deviceUse.kind !== 'kiosk') return inactivity || undefined
  return Math.min(inactivity || kioskInactivitySeconds, kioskInactivitySeconds)
}
