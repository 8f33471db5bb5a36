import { kioskInactivitySeconds } from '#contract/codes.ts'
import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import { type DeviceUse, lastActivityKey } from '#store/device-use.ts'
import { countsAsActivity, type Inactivity, inactivityAt } from './inactivity.ts'

/** The last activity of the applicant, shared by all tabs of this device (SES07–SES11). */
export type Activity = {
  save: () => void
  saveIfMissing: () => void
  remove: () => void
  /** Saves the current time, at most once per 15 s (SES09). */
  record: () => void
  /** Undefined when the session has no time limit. */
  inactivity: (claims: TokenClaims) => Inactivity | undefined
  /** For a start without the server: a token without a limit gets 15 minutes. */
  isOverAtStart: (claims: TokenClaims) => boolean
}

const defaultLimitSeconds = 15 * 60

export function createActivity(
  device: Pick<Device, 'now' | 'readText' | 'saveText'>,
  deviceUse: () => DeviceUse,
): Activity {
  /** The last time that this tab saved, because reading the storage at every keystroke is slow. */
  let savedAt = 0

  function save() {
    savedAt = device.now()
    device.saveText(lastActivityKey, String(savedAt))
  }

  function inactivityFor(limitSeconds: number, lastIfMissing: number): Inactivity {
    const last = Number(device.readText(lastActivityKey) ?? lastIfMissing)
    return inactivityAt({ limitSeconds, last, now: device.now() })
  }

  return {
    save,
    saveIfMissing() {
      if (device.readText(lastActivityKey) === undefined) save()
    },
    remove: () => device.saveText(lastActivityKey, undefined),
    record() {
      const now = device.now()
      if (!countsAsActivity({ last: savedAt, now })) return
      // Another tab may have saved a later time.
      if (countsAsActivity({ last: Number(device.readText(lastActivityKey) ?? 0), now })) save()
    },
    inactivity(claims) {
      const limitSeconds = limitSecondsOf(claims, deviceUse())
      return limitSeconds ? inactivityFor(limitSeconds, device.now()) : undefined
    },
    isOverAtStart(claims) {
      const limitSeconds = limitSecondsOf(claims, deviceUse()) ?? defaultLimitSeconds
      return inactivityFor(limitSeconds, 0).kind === 'expired'
    },
  }
}

/** On a kiosk the limit is at most 120 s (D38). */
function limitSecondsOf({ inactivity }: TokenClaims, deviceUse: DeviceUse): number | undefined {
  if (deviceUse.kind !== 'kiosk') return inactivity ?? undefined
  return Math.min(inactivity || kioskInactivitySeconds, kioskInactivitySeconds)
}
