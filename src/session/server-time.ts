import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import { lastActivityKey } from '#store/device-use.ts'

/**
 * Storage key of the times of the last token: when the server issued it, and when a page used it first, by the phone's clock.
 */
const tokenTimesKey = 'token-times'
/** How long after the server has issued a token a page can begin to use it: such a delay is no jump. */
const arrivalMs = 60_000

type ClockDevice = Pick<Device, 'now' | 'readText' | 'saveText'>

/** Saves the times of a token, unless it is the last one or an older one. */
export function saveTokenTimes(device: ClockDevice, { iat }: TokenClaims): void {
  const issuedMs = iat * 1_000
  const [issuedBeforeMs] = readTokenTimes(device)
  if (issuedMs > issuedBeforeMs) device.saveText(tokenTimesKey, `${issuedMs} ${device.now()}`)
}

/**
 * Corrects the saved time of the last activity if the clock of this device was set since. Otherwise the applicant would seem to
 * have been inactive for as long (S85). Call it before `saveTokenTimes`, which is called only within the time limit.
 */
export function correctActivity(device: ClockDevice, { iat, inactivity }: TokenClaims): void {
  const [issuedBeforeMs, usedBeforeMs] = readTokenTimes(device)
  const issuedLaterMs = iat * 1_000 - issuedBeforeMs
  // The same token, or an older one, says nothing about the time that has passed.
  if (issuedLaterMs <= 0) return
  const savedMs = Number(device.readText(lastActivityKey))
  // At the token before, the time limit had not ended: an activity longer before it has its time from a clock that was wrong.
  const isWrong = usedBeforeMs - savedMs > (inactivity || Infinity) * 1_000
  const jumpMs = device.now() - usedBeforeMs - issuedLaterMs
  const activityMs = (isWrong ? usedBeforeMs : savedMs) + (jumpMs > arrivalMs ? jumpMs : 0)
  // An activity that the jump would move into the future was saved after the jump.
  if (activityMs <= device.now()) device.saveText(lastActivityKey, String(activityMs))
}

function readTokenTimes(device: ClockDevice): [issuedMs: number, usedMs: number] {
  const [issuedMs = -Infinity, usedMs = NaN] = device.readText(tokenTimesKey)?.split(' ').map(Number) ?? []
  return [issuedMs, usedMs]
}
