import type { Device } from '#device/device.ts'

/** What must be finished before this page goes or its store is locked: a write of what was typed last. */
export type PendingWrites = {
  /** Returns how to take it back. */
  add(finish: () => Promise<void>): () => void
  /** Settles when all is done, or what hangs has hung long enough. */
  finish(): Promise<void>
}

/** Nobody who leaves waits longer for a storage that hangs, milliseconds. */
const timeoutMs = 2_000

export function createPendingWrites(device: Pick<Device, 'after'>): PendingWrites {
  const writes = new Set<() => Promise<void>>()
  return {
    add(finish) {
      writes.add(finish)
      return () => writes.delete(finish)
    },
    async finish() {
      const allWritten = Promise.all([...writes].map(finish => finish()))
      const timeout = new Promise<void>(resolve => {
        device.after(timeoutMs, resolve)
      })
      if (writes.size > 0) await Promise.race([allWritten, timeout])
    },
  }
}
