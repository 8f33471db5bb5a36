type LatestReader = {
  /**
   * Requests that arrive during a read cause one further read, however many there are. Their promises do not wait for it and
   * resolve at once; that of the first request resolves after the last read.
   */
  read: () => Promise<void>
  /** Drops the result of the running read, which may hang. */
  cancel: () => void
}

/** `readOnce` reads, and resolves to a function that applies the result; only the latest result is applied. */
export function createLatestReader(readOnce: () => Promise<() => void>): LatestReader {
  let requestCount = 0
  let currentRead: object | undefined
  return {
    async read() {
      requestCount += 1
      if (currentRead) return
      const ownRead = {}
      currentRead = ownRead
      try {
        for (;;) {
          const requestNumber = requestCount
          const apply = await readOnce()
          if (requestNumber === requestCount) apply()
          if (currentRead !== ownRead || requestNumber === requestCount) return
        }
      } finally {
        if (currentRead === ownRead) currentRead = undefined
      }
    },
    cancel() {
      requestCount += 1
      currentRead = undefined
    },
  }
}
