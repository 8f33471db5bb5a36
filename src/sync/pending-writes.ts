import type { Device } from '#device/device.ts'

/** Writes that must finish before a reload, or before the store is locked: for example the last typed value. */
export type PendingWrites = {
  /** Returns the function that removes the write again. */
  add(write: () => Promise<void>): () => void
  /** Runs all writes. Resolves when they are done, or after the timeout. Rejects when one of them rejects before. */
  finish(): Promise<void>
}

/** Longest wait before a reload or a log-out when the storage hangs. */
const timeoutMs = 2_000

export function createPendingWrites(device: Pick<Device, 'after'>): PendingWrites {
  const writes = new Set<() => Promise<void>>()
  return {
    add(write) {
      writes.add(write)
      return () => writes.delete(write)
    },
    async finish() {
      const allWritten = Promise.all([...writes].map(write => write()))
      const timeout = new Promise<void>(resolve => {
        device.after(timeoutMs, resolve)
      })
      if (writes.size > 0) await Promise.race([allWritten, timeout])
    },
  }
}
