import type { Configuration } from '#server/config/config.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

const intervalMs = 15_000

/**
 * Reads the figures of the database now and every 15 seconds, in each process whose metrics are scraped. A reading that
 * fails leaves the last figures; `database_figures_read_seconds` shows their age.
 */
export function readFiguresRegularly(
  { metricsPort }: Pick<Configuration, 'metricsPort'>,
  { readDatabase }: Pick<Metrics, 'readDatabase'>,
  logger: Logger,
): { stop: () => Promise<void> } {
  if (metricsPort === undefined) return { stop: () => Promise.resolve() }
  let running: Promise<void> | undefined
  const start = () => {
    running ??= readDatabase()
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'The figures of the database could not be read.'),
      )
      .finally(() => {
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
