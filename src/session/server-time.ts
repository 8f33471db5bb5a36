import type { Device } from '#device/device.ts'
import { lastActivityKey } from '#store/device-use.ts'

/**
 * Storage key of the times of the last token: when the server issued it, and when a page used it first, by the phone's clock.
 */
const tokenTimesKey = 'token-times'
/** How long after the server has issued a token a page can begin to use it: such a delay is no jump. */
const arrivalMs = 60_000

type ClockDevice = Pick<Device, 'now' | 'readText' | 'saveText'>

/**
 * Saves the times of a token, and returns by how many milliseconds the clock of this device was set forward since the token
 * before it: 0 for a minute or less, and when this token says nothing about that. `issuedAtMs`: the server's time in the
 * token.
 */
export function jumpSinceLastToken(device: ClockDevice, issuedAtMs: number): number {
  const times = device.readText(tokenTimesKey)?.split(' ').map(Number)
  const [issuedBeforeMs = -Infinity, usedBeforeMs = NaN] = times ?? []
  // The same token, or an older one, says nothing about the time that has passed.
  if (issuedAtMs <= issuedBeforeMs) return 0
  const usedAtMs = device.now()
  device.saveText(tokenTimesKey, `${issuedAtMs} ${usedAtMs}`)
  const jumpMs = usedAtMs - usedBeforeMs - (issuedAtMs - issuedBeforeMs)
  return jumpMs > arrivalMs ? jumpMs : 0
}

/**
 * Moves the saved time of the last activity with the clock of this device that was set forward by `jumpMs`. Otherwise the
 * applicant would seem to have been inactive for as long (S85). An activity that is younger than the jump was saved after it.
 */
export function moveActivity(device: ClockDevice, jumpMs: number): void {
  const activityMs = Number(device.readText(lastActivityKey))
  if (jumpMs > 0 && device.now() - activityMs >= jumpMs)
    device.saveText(lastActivityKey, String(activityMs + jumpMs))
}
