import type { TokenClaims } from '#contract/session.ts'
import type { Device } from '#device/device.ts'
import { lastActivityKey } from '#store/device-use.ts'

/**
 * Storage key of the times of the last token: when the server issued it, when a page used it first, by the phone's clock, and
 * how long the applicant had been inactive then.
 */
const tokenTimesKey = 'token-times'
/** A smaller difference of the two clocks is no jump: answers take time, and clocks drift. */
const arrivalMs = 60_000

type ClockDevice = Pick<Device, 'now' | 'readText' | 'saveText'>

/** Saves the times of a token, unless it is the last one or an older one. */
export function saveTokenTimes(device: ClockDevice, { iat }: TokenClaims, idleMs = 0): void {
  const issuedMs = iat * 1_000
  const [issuedBeforeMs] = readTokenTimes(device)
  // Not `>`, so that damaged times are replaced too.
  if (!(issuedMs <= issuedBeforeMs)) device.saveText(tokenTimesKey, `${issuedMs} ${device.now()} ${idleMs}`)
}

/**
 * Corrects the saved time of the last activity if the clock of this device was set since. Otherwise a clock that was
 * set forward would add to the time of inactivity. After one that was set back, the applicant would seem active at each
 * start of a page until the clock reaches the saved time (S85). Call it before `saveTokenTimes`, which is called only
 * within the time limit. `startedAtMs`: when the page started, by the phone's clock. The server has issued the token
 * after that, but the page may use it hours later, because the phone has slept: that is no jump of the clock.
 */
export function correctActivity(
  device: ClockDevice,
  { iat, inactivity }: TokenClaims,
  startedAtMs: number,
): void {
  const [issuedBeforeMs, usedBeforeMs, idleBeforeMs] = readTokenTimes(device)
  const issuedLaterMs = iat * 1_000 - issuedBeforeMs
  // The same token, or an older one, says nothing about the time that has passed. Neither do damaged times.
  if (!(issuedLaterMs > 0 && usedBeforeMs > 0)) return
  const nowMs = device.now()
  const savedMs = Number(device.readText(lastActivityKey))
  const jumpMs = startedAtMs - usedBeforeMs - issuedLaterMs
  const isAhead = savedMs > nowMs
  const movedMs = isAhead || jumpMs > arrivalMs ? savedMs + jumpMs : savedMs
  // When the last activity was, as the page knew at the token before.
  const knownMs = startedAtMs - issuedLaterMs - idleBeforeMs
  // At the token before, the time limit had not ended. So when the saved activity is older than the limit at that token, or
  // stays in the future, a wrong clock gave its time.
  const isTooOld = usedBeforeMs - savedMs > (inactivity || Infinity) * 1_000 && savedMs < knownMs
  const activityMs = isTooOld || (isAhead && movedMs > nowMs) ? knownMs : movedMs
  // One that the jump would move into the future was saved after the jump.
  if (activityMs <= nowMs) device.saveText(lastActivityKey, String(activityMs))
}

function readTokenTimes(device: ClockDevice): [issuedMs: number, usedMs: number, idleMs: number] {
  const times = device.readText(tokenTimesKey)?.split(' ').map(Number)
  const [issuedMs = -Infinity, usedMs = NaN, idleMs = 0] = times ?? []
  return [issuedMs, usedMs, idleMs]
}
