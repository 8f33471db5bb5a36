import { keptDays } from '#contract/retention.ts'
import type { PuzzleWork } from './captcha.ts'

/** How many codes one browser may request for one contact (D20). */
const codesPerHour = 5
const codesPerDay = 10
/**
 * After this many codes of a day to a contact an unknown browser gets none (D90). The first number counts only the
 * codes that its wide network requested, the second one counts all.
 */
export const codesPerDayFromNetwork = 10
export const codesPerDayToContact = 20
/** After how many unused codes, and wrong tries, of an hour the server requires a captcha. */
const codesBeforeCaptcha = 2
const triesBeforeCaptcha = 3
/** When all browsers together requested as many codes as one may, an unknown browser needs a harder puzzle (D90). */
const crowdedWork = 4
/** A browser in which the contact was verified has its own limits for this many days. */
export const knownBrowserDays = keptDays.browsers

const [secondsOfHour, secondsOfDay] = [3_600, 86_400]

/**
 * A code of the last day that was requested for the contact. `otherChannel`: it was meant for the other contact of the same
 * applicant, for example for the e-mail address when the contact is a phone number (F6).
 */
export type RecentCode = {
  ageSeconds: number
  isUsed: boolean
  otherChannel: boolean
  /** Wrong tries of the codes that the browser of this code got. */
  tries: number
  /** The browser that asks now requested it. */
  isOwn: boolean
  /** The wide network (/24 or /48) from which the call comes now requested it. */
  isFromSameWideNetwork: boolean
}

export type SendLimit = { waitSeconds: number; work: 0 | PuzzleWork }

type Asking = { isKnownBrowser: boolean; otherChannel: boolean; secondsBetweenCodes: number }

/**
 * Returns the seconds until the next code to a contact, and the work of the puzzle that it demands. The counts are over
 * the stored codes, so the windows slide.
 *
 * - A used code does not start the waiting time, because it proves that the owner of the contact is present.
 * - The limits of an hour and of a day count the codes of the browser that asks. Codes that other browsers requested
 *   make its puzzle harder. In an unknown browser they also start the waiting time, and the limits of a day for a
 *   network and for the contact count them: so strangers cannot flood a phone (D90).
 * - A browser in which the contact was verified waits only because of its own codes. So the codes that attackers
 *   request do not lock the owner out there.
 * - Only a code by the same channel starts the waiting time, because a code by the other channel may never arrive.
 */
export function limitAfter(recent: readonly RecentCode[], asking: Asking): SendLimit {
  const { isKnownBrowser, otherChannel, secondsBetweenCodes } = asking
  const own = recent.filter(({ isOwn }) => isOwn)
  const counted = isKnownBrowser ? own : recent
  const unused = counted.filter(code => !code.isUsed && code.otherChannel === otherChannel)
  const fromSameWideNetwork = counted.filter(({ isFromSameWideNetwork }) => isFromSameWideNetwork)
  return {
    waitSeconds: Math.ceil(
      Math.max(
        secondsUntil(unused, { codes: 1, seconds: secondsBetweenCodes }),
        secondsUntil(own, { codes: codesPerHour, seconds: secondsOfHour }),
        secondsUntil(own, { codes: codesPerDay, seconds: secondsOfDay }),
        secondsUntil(fromSameWideNetwork, { codes: codesPerDayFromNetwork, seconds: secondsOfDay }),
        secondsUntil(counted, { codes: codesPerDayToContact, seconds: secondsOfDay }),
      ),
    ),
    work: workAfter(recent, isKnownBrowser),
  }
}

/** Returns the seconds until the window has fewer than `limit.codes` codes, so that the next one may be sent. */
function secondsUntil(codes: readonly RecentCode[], limit: { codes: number; seconds: number }): number {
  const ages = codes.map(({ ageSeconds }) => ageSeconds).sort((one, other) => one - other)
  return Math.max(0, limit.seconds - (ages[limit.codes - 1] ?? limit.seconds))
}

/** Returns the work of the puzzle. The codes that other browsers requested count too. */
function workAfter(recent: readonly RecentCode[], isKnownBrowser: boolean): SendLimit['work'] {
  const ofHour = recent.filter(({ ageSeconds }) => ageSeconds < secondsOfHour)
  if (!isKnownBrowser && (ofHour.length >= codesPerHour || recent.length >= codesPerDay)) return crowdedWork
  const unused = ofHour.filter(({ isUsed }) => !isUsed)
  const isTried = unused.some(({ tries }) => tries >= triesBeforeCaptcha)
  return unused.length >= codesBeforeCaptcha || isTried ? 1 : 0
}
