import type { Device } from '#device/device.ts'
import { pendingEraseKey } from './device-use.ts'

type TextDevice = Pick<Device, 'readText' | 'saveText'>

/** What this device has not erased yet, as marks. Read from the device each time, because other tabs change them too. */
export function readPendingErases(device: Pick<Device, 'readText'>): string[] {
  return device.readText(pendingEraseKey)?.split('\n') ?? []
}

export function addPendingErase(device: TextDevice, mark: string): void {
  const marks = readPendingErases(device)
  if (!marks.includes(mark)) device.saveText(pendingEraseKey, [...marks, mark].join('\n'))
}

export function removePendingErase(device: TextDevice, mark: string): void {
  const marks = readPendingErases(device)
  const rest = marks.filter(each => each !== mark)
  if (rest.length < marks.length)
    device.saveText(pendingEraseKey, rest.length > 0 ? rest.join('\n') : undefined)
}
