export type Repetition = {
  /** Starts no further run, and waits for the running one. */
  stop: () => Promise<void>
}

/** Runs now and at each interval, and skips a run while the last one goes on. `run` must not reject. */
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
