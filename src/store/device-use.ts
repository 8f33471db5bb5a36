import { createListeners } from '#device/observable.ts'
import {
  answerMarkStorageKey,
  defaultLanguage,
  deviceUseStorageKey,
  languageStorageKey,
  languages,
  receiptKeysStorageKey,
  sessionFlagKey,
} from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** Who uses this device: one applicant, several, or the visitors of an office (a kiosk, always shared; D31, D38). */
export type DeviceUse = { kind: 'own' } | { kind: 'shared' } | { kind: 'kiosk'; officeId: string }

export type DeviceUseSource = {
  current: () => DeviceUse
  /**
   * True when several people use the device: after a session it keeps no data of the applicant, or only encrypted rows
   * without their key.
   */
  isShared: () => boolean
  /** True also after a visitor has made a shared device an own one: it may still hold locked drafts (D31). */
  wasShared: () => boolean
  /** The applicant's choice; a kiosk ignores it. */
  choose: (shared: boolean) => void
  /** Whether `/?kiosk=off` was opened in this tab: the page then asks for the code of the office (OFF18). */
  isEndRequested: () => boolean
  /** Drops that request: the device stays a kiosk. */
  keepKiosk: () => void
  /** Office staff have ended the kiosk mode. The device stays shared, so that the end of this visit erases its data. */
  endKiosk: () => void
  /** Saves the use again, after the wipe or the server's answer to the log-out has deleted saved texts (D38). */
  saveAgain: () => void
  subscribe: (listener: () => void) => () => void
}

/** How the last session ended. On a shared device the page of that session passes it in the URL. */
export const logoutReasons = ['asked', 'erased', 'inactivity', 'locked'] as const
export type LogoutReason = (typeof logoutReasons)[number]

const shared = 'shared'
/**
 * The flag of an own device that was shared before. Without this flag, an absent use may be one that the browser has
 * deleted or refused to save.
 */
const ownDeviceKey = 'own'
const kioskPrefix = 'kiosk:'
const endKioskKey = 'end-kiosk'
const officeIdPattern = /^[\w-]{1,64}$/

export function createDeviceUse(device: Device): DeviceUseSource {
  const { subscribe, emit } = createListeners()
  // If the browser refuses storage, the choice lasts as long as this page.
  let text = device.readText(deviceUseStorageKey)
  let use = readUse(text)

  function current(): DeviceUse {
    const ifAbsent = device.readText(ownDeviceKey) ? undefined : text
    const newest = device.readText(deviceUseStorageKey) ?? ifAbsent
    if (newest !== text) use = readUse((text = newest))
    return use
  }

  function save(newest: string | undefined) {
    use = readUse((text = newest))
    device.saveText(deviceUseStorageKey, text)
    device.saveText(ownDeviceKey, text ? undefined : '1')
  }

  return {
    current,
    isShared: () => current().kind !== 'own',
    wasShared: () => current().kind !== 'own' || device.readText(ownDeviceKey) !== undefined,
    choose(isShared) {
      if (current().kind === 'kiosk') return
      save(isShared ? shared : undefined)
      emit()
    },
    isEndRequested: () => device.readTabText(endKioskKey) !== undefined,
    keepKiosk: () => device.saveTabText(endKioskKey, undefined),
    endKiosk() {
      save(shared)
      device.saveTabText(endKioskKey, undefined)
      emit()
    },
    saveAgain() {
      current()
      device.saveText(deviceUseStorageKey, text)
    },
    subscribe,
  }
}

/**
 * Takes the start parameters out of the URL and saves them: kiosk mode, and the preferences that survive a wipe. Returns
 * only how the last session ended.
 */
export function readStartParameters(device: Device): { left: LogoutReason | undefined } {
  const parameters = device.takeUrlParameters(['kiosk', 'shared', languageStorageKey, 'left'])
  if (parameters.kiosk !== undefined)
    device.saveTabText(endKioskKey, parameters.kiosk === 'off' ? '1' : undefined)
  if (parameters.kiosk !== undefined && parameters.kiosk !== 'off' && officeIdPattern.test(parameters.kiosk))
    device.saveText(deviceUseStorageKey, kioskPrefix + parameters.kiosk)
  // `shared=1` does not end the kiosk mode: that needs the code of the office.
  else if (parameters.shared === '1' && readUse(device.readText(deviceUseStorageKey)).kind !== 'kiosk')
    device.saveText(deviceUseStorageKey, shared)
  const language = languages.find(each => each === parameters[languageStorageKey])
  if (language) device.saveText(languageStorageKey, language)
  return { left: logoutReasons.find(each => each === parameters.left) }
}

/**
 * The welcome page after a session on a shared device. Clear-Site-Data also deletes the preferences, so the URL carries
 * them; on a kiosk the default language instead of the last visitor's.
 */
export function urlAfterWipe(
  use: DeviceUse,
  { language, logoutReason }: { language: string; logoutReason: LogoutReason | undefined },
): string {
  const parameters = new URLSearchParams(
    use.kind === 'kiosk'
      ? { [languageStorageKey]: defaultLanguage, kiosk: use.officeId }
      : { [languageStorageKey]: language },
  )
  if (use.kind === 'shared') parameters.set('shared', '1')
  if (logoutReason) parameters.set('left', logoutReason)
  return `/?${parameters}`
}

/** The flag of a log-out that the server has not confirmed; it does not name the applicant. */
export const pendingLogoutKey = 'owed-log-out'

/** The random id of this browser's newest session; does not name the applicant. */
export const sessionIdKey = 'session-id'

/**
 * Whose rows this device has not erased yet, one in each line: the id of the session of a deleted account (D112), empty for a
 * session of an older release, which had no id. On a shared device, where no key names the applicant of a session, the word
 * `applicant` or `account` and the id of the applicant, which the rows have too (D31).
 */
export const pendingEraseKey = 'pending-erase'

/** The time of the last activity: wall clock in milliseconds. */
export const lastActivityKey = 'activity'

/**
 * Storage keys whose texts a power cut must not lose (D64). Why some are among them:
 * - the last activity: without it an offline start ends the session;
 * - the id of the session: a page uses only the key of the session that it continues;
 * - the answer mark: without it the answer of a captive portal would confirm a pending log-out (D60);
 * - the pending erase: after the end of its session nothing else says which rows must be erased (D31, D112).
 */
export const durableKeys = [
  languageStorageKey,
  deviceUseStorageKey,
  sessionFlagKey,
  sessionIdKey,
  lastActivityKey,
  pendingLogoutKey,
  pendingEraseKey,
  answerMarkStorageKey,
] as const

/** Storage keys that survive the wipe of a shared device; none has answers or contacts of an applicant. */
export const keysKeptAfterWipe = [
  languageStorageKey,
  deviceUseStorageKey,
  ownDeviceKey,
  pendingLogoutKey,
  pendingEraseKey,
  answerMarkStorageKey,
  receiptKeysStorageKey,
] as const

/**
 * An applicant's own device has no text. A damaged text counts as that of a shared device, as it does in the server's payment
 * pages (server/http/pay-page-files.ts).
 */
function readUse(text: string | undefined): DeviceUse {
  if (text === undefined) return { kind: 'own' }
  const officeId = text.startsWith(kioskPrefix) ? text.slice(kioskPrefix.length) : ''
  return officeIdPattern.test(officeId) ? { kind: 'kiosk', officeId } : { kind: 'shared' }
}
