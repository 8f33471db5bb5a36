import type { Device } from '#device/device.ts'

/** Locks that make a caller wait, as those of a browser do. The locks of the fake device never wait. */
export function createWaitingLocks(): Device['withLock'] {
  const last = new Map<string, Promise<unknown>>()
  return (name, run) => {
    const result = (last.get(name) ?? Promise.resolve()).then(run)
    last.set(
      name,
      result.catch(() => undefined),
    )
    return result
  }
}
