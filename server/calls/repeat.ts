export type Repetition = {
  /** Starts no further run, and waits for the running one. */
  stop: () => Promise<void>
}

/** Runs now and at each interval. Skips a run while the previous one is still running. `run` must not reject. */
export function repeat(intervalMs: number, run: () => Promise<void>): Repetition {
  let running: Promise<void> | undefined
  const start = () => {
    running ??= run().finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(start, intervalMs)
  timer.unref()
  start()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
