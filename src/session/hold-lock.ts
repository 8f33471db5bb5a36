import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'

/** Acquires the lock, perhaps after another tab has released it. Returns at once, with the function that releases the lock. */
export function holdLock(device: Pick<Device, 'withLock'>, name: string): () => void {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  void device.withLock(name, () => released)
  return release
}
