import type { Device } from '#device/device.ts'

/** One timer for each application: `set` replaces the timer that the application has. */
export type SyncTimers = { set: (id: string, delayMs: number) => void }

export function createSyncTimers(device: Pick<Device, 'after'>, run: (id: string) => void): SyncTimers {
  const cancels = new Map<string, () => void>()
  return {
    set(id, delayMs) {
      cancels.get(id)?.()
      cancels.set(
        id,
        device.after(Math.max(0, delayMs), () => run(id)),
      )
    },
  }
}
