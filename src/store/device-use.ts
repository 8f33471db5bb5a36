import { languageStorageKey, languages, receiptKeyStorageKey } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** Whose device this is: `kiosk` is an office's tablet, always shared (D31, D38). */
export type DeviceUse = { kind: 'own' } | { kind: 'shared' } | { kind: 'kiosk'; officeId: string }

export type DeviceUseSource = {
  current: () => DeviceUse
  /** Nothing of an applicant may stay behind. */
  isShared: () => boolean
  /** The applicant says whose it is; a kiosk stays one. */
  choose: (shared: boolean) => void
  subscribe: (listener: () => void) => () => void
}

/** How the last session ended here, said by the page that the device was cleared by. */
export type LogoutReason = 'asked' | 'inactivity'

const deviceUseKey = 'device-use'
const shared = 'shared'
const kioskPrefix = 'kiosk:'
const officeIdPattern = /^[\w-]{1,64}$/

export function createDeviceUse(device: Device): DeviceUseSource {
  const listeners = new Set<() => void>()
  // Where storage is refused the choice holds for this page.
  let text = device.readText(deviceUseKey)
  let use = readUse(text)

  function current(): DeviceUse {
    const newest = device.readText(deviceUseKey) ?? text
    if (newest !== text) use = readUse((text = newest))
    return use
  }

  return {
    current,
    isShared: () => current().kind !== 'own',
    choose(isShared) {
      if (current().kind === 'kiosk') return
      text = isShared ? shared : undefined
      use = readUse(text)
      device.saveText(deviceUseKey, text)
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What the address brings along, once: kiosk mode on or off, and what a cleared device goes on with. */
export function readStartParameters(device: Device): { left: LogoutReason | undefined } {
  const said = device.takeUrlParameters(['kiosk', 'shared', languageStorageKey, 'left'])
  if (said.kiosk === 'off') device.saveText(deviceUseKey, undefined)
  else if (said.kiosk !== undefined && officeIdPattern.test(said.kiosk))
    device.saveText(deviceUseKey, kioskPrefix + said.kiosk)
  else if (said.shared === '1') device.saveText(deviceUseKey, shared)
  const language = languages.find(each => each === said[languageStorageKey])
  if (language) device.saveText(languageStorageKey, language)
  return { left: said.left === 'asked' || said.left === 'inactivity' ? said.left : undefined }
}

/** The welcome page of a device that was cleared: Clear-Site-Data takes even what is nobody's in particular. */
export function urlAfterWipe(
  use: DeviceUse,
  { language, logoutReason }: { language: string; logoutReason: LogoutReason | undefined },
): string {
  const said = new URLSearchParams({ [languageStorageKey]: language })
  if (use.kind === 'kiosk') said.set('kiosk', use.officeId)
  if (use.kind === 'shared') said.set('shared', '1')
  if (logoutReason) said.set('left', logoutReason)
  return `/?${said}`
}

/** That the server has not heard of a log-out yet; it says nothing of whose. */
export const pendingLogoutKey = 'owed-log-out'

/** What survives the clearing of a shared device: nothing of an applicant. */
export const keysKeptAfterWipe = [
  languageStorageKey,
  deviceUseKey,
  pendingLogoutKey,
  receiptKeyStorageKey,
] as const

function readUse(text: string | undefined): DeviceUse {
  if (text === shared) return { kind: 'shared' }
  const officeId = text?.startsWith(kioskPrefix) ? text.slice(kioskPrefix.length) : ''
  return officeIdPattern.test(officeId) ? { kind: 'kiosk', officeId } : { kind: 'own' }
}
