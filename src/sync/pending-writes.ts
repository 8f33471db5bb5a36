import type { Device } from '#device/device.ts'

/**
 * Writes to finish before a reload, or before a log-out removes the token and the encryption key. The write of a form saves
 * the last typed value. The write of the list runs the deletions that the applicant can still undo, if the cause is a
 * log-out; it cancels them if the cause is a reload (LST11, LST17).
 */
export type PendingWrites = {
  /** A screen adds its write when it opens. Returns the function that removes the write. */
  add(write: (cause: FinishCause) => Promise<void>): () => void
  /** Runs all writes. Resolves when they are done, or after the timeout. Rejects when a write rejects before that. */
  finish(cause: FinishCause): Promise<void>
}

/** `reload`: the portal loads itself again, for a new release or a missing file; the applicant does not leave. */
type FinishCause = 'log-out' | 'reload'

/** Longest wait before a reload or a log-out when the storage or the service does not answer. */
const timeoutMs = 2_000

export function createPendingWrites(device: Pick<Device, 'after'>): PendingWrites {
  const writes = new Set<(cause: FinishCause) => Promise<void>>()
  return {
    add(write) {
      writes.add(write)
      return () => writes.delete(write)
    },
    async finish(cause) {
      const allWritten = Promise.all([...writes].map(write => write(cause)))
      const timeout = new Promise<void>(resolve => {
        device.after(timeoutMs, resolve)
      })
      if (writes.size > 0) await Promise.race([allWritten, timeout])
    },
  }
}
