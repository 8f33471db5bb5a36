import type { Device } from '#device/device.ts'

/** What must be finished before this page goes or its store is locked: a write of what was typed last. */
export type Unfinished = {
  /** Returns how to take it back. */
  add(finish: () => Promise<void>): () => void
  /** Settles when all is done, or what hangs has hung long enough. */
  finish(): Promise<void>
}

/** Nobody who leaves waits longer for a storage that hangs, milliseconds. */
const patience = 2_000

export function createUnfinished(device: Pick<Device, 'after'>): Unfinished {
  const all = new Set<() => Promise<void>>()
  return {
    add(finish) {
      all.add(finish)
      return () => all.delete(finish)
    },
    async finish() {
      const whole = Promise.all([...all].map(finish => finish()))
      const tired = new Promise<void>(resolve => {
        device.after(patience, resolve)
      })
      if (all.size > 0) await Promise.race([whole, tired])
    },
  }
}
