import type { Device } from '#device/device.ts'
import { lastActivityKey } from '#store/device-use.ts'

/** Storage key of the times of the last token: when the server issued it, and when it arrived by the clock of this device. */
const tokenTimesKey = 'token-times'
/** A token may arrive this long after the server has issued it. */
const arrivalMs = 60_000

/**
 * Corrects the saved time of the last activity when the clock of this device was set forward since the last token. Otherwise
 * the applicant would seem to have been inactive for as long (S85). `issuedAtMs`: the server's time in the newest token.
 */
export function followServerTime(
  device: Pick<Device, 'now' | 'readText' | 'saveText'>,
  issuedAtMs: number,
): void {
  const [issuedBeforeMs = -Infinity, arrivedBeforeMs = NaN] = readTimes(device.readText(tokenTimesKey))
  // The same token, or an older one, says nothing about the time that has passed.
  if (issuedAtMs <= issuedBeforeMs) return
  const arrivedAtMs = device.now()
  device.saveText(tokenTimesKey, `${issuedAtMs} ${arrivedAtMs}`)
  const jumpMs = arrivedAtMs - arrivedBeforeMs - (issuedAtMs - issuedBeforeMs)
  const [activityMs = NaN] = readTimes(device.readText(lastActivityKey))
  // An activity that is younger than the jump was saved after it.
  if (jumpMs > arrivalMs && arrivedAtMs - activityMs >= jumpMs)
    device.saveText(lastActivityKey, String(activityMs + jumpMs))
}

function readTimes(text: string | undefined): number[] {
  return text === undefined ? [] : text.split(' ').map(Number)
}
