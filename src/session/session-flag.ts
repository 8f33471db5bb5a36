import { sessionFlagKey } from '#contract/codes.ts'
import type { Device } from '#device/device.ts'

/** Set: the browser's cookie may open a session. On a first visit it is not set, so the portal sends no request. */
export type SessionFlag = {
  save: () => void
  /** `onlyInTab`: only from the tab storage; a flag of the whole device stays, because another tab may have saved it. */
  remove: (options?: { onlyInTab: boolean }) => void
  isSet: () => boolean
}

/** On a shared device the flag is in the tab storage, so that a new browser window starts signed out (D31). */
export function createSessionFlag(
  device: Pick<Device, 'readText' | 'saveText' | 'readTabText' | 'saveTabText'>,
  isShared: () => boolean,
): SessionFlag {
  function write(text: string | undefined) {
    device.saveText(sessionFlagKey, isShared() ? undefined : text)
    device.saveTabText(sessionFlagKey, isShared() ? text : undefined)
  }
  return {
    save: () => write('1'),
    remove({ onlyInTab } = { onlyInTab: false }) {
      if (onlyInTab) device.saveTabText(sessionFlagKey, undefined)
      else write(undefined)
    },
    isSet: () =>
      (device.readTabText(sessionFlagKey) ?? (isShared() ? undefined : device.readText(sessionFlagKey))) !==
      undefined,
  }
}
