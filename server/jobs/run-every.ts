import type { Logger } from '#server/monitoring/logger.ts'

export type RepeatedJob = { stop(): Promise<void> }

/** Runs a job now and at each interval, never two rounds at once. Logs a failure and continues with the next round. */
export function runEvery(
  seconds: number,
  job: { name: string; logger: Logger; run: () => Promise<unknown> },
): RepeatedJob {
  let round: Promise<void> | undefined
  const start = () => {
    round ??= runOnce(job).finally(() => {
      round = undefined
    })
  }
  const timer = setInterval(start, seconds * 1_000)
  timer.unref()
  start()
  return {
    async stop() {
      clearInterval(timer)
      await round
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
