type Close = () => void | Promise<void>

/** How to close what a start has opened so far. */
export type Closers = {
  add(close: Close): void
  /**
   * Closes everything once, the last part first. A part that fails does not keep the others open.
   *
   * @throws the first failure, after all parts were closed
   */
  close(): Promise<void>
}

export function createClosers(): Closers {
  const closers: Close[] = []
  return {
    add: close => void closers.push(close),
    async close() {
      const failures: unknown[] = []
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
