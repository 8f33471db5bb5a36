import type { Device } from '#device/device.ts'
import { pendingEraseKey } from './device-use.ts'

type TextDevice = Pick<Device, 'readText' | 'saveText'>

/** What this device has not erased yet, as marks. Read from the device each time, because other tabs change them too. */
export function readPendingErases(device: Pick<Device, 'readText'>): string[] {
  return device.readText(pendingEraseKey)?.split('\n') ?? []
}

/**
 * Where the browser never opens a database, each applicant who logs out of a shared device adds a mark that stays
 * (D31).
 */
const maxMarks = 100

export function addPendingErase(device: TextDevice, mark: string): void {
  device.saveText(pendingEraseKey, addMark(readPendingErases(device), mark).join('\n'))
}

/** Returns the marks with this one as the newest, without the oldest ones above the limit. */
export function addMark(marks: readonly string[], mark: string): string[] {
  return [...marks.filter(each => each !== mark), mark].slice(-maxMarks)
}

export function removePendingErase(device: TextDevice, mark: string): void {
  const marks = readPendingErases(device)
  const rest = marks.filter(each => each !== mark)
  if (rest.length < marks.length)
    device.saveText(pendingEraseKey, rest.length > 0 ? rest.join('\n') : undefined)
}
