import type { Logger } from '#server/monitoring/logger.ts'

export type RepeatedJob = {
  /** Stops the timer. Resolves when the running job has ended. */
  stop(): Promise<void>
}

/**
 * Runs a job now and at each interval. If the job still runs when the interval ends, this process skips that run. Logs a
 * failure; the job runs again at its next interval.
 */
export function runEvery(
  intervalSeconds: number,
  job: { name: string; logger: Logger; run: () => Promise<unknown> },
): RepeatedJob {
  let running: Promise<void> | undefined
  const start = () => {
    running ??= runOnce(job).finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(start, intervalSeconds * 1_000)
  timer.unref()
  start()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

async function runOnce({ name, logger, run }: { name: string; logger: Logger; run: () => Promise<unknown> }) {
  try {
    await run()
  } catch (error) {
    logger.error({ err: error, job: name }, 'A job failed. It runs again at its next interval.')
  }
}
