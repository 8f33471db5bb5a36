import type { Configuration } from '#server/config/config.ts'
import { type Repetition, repeat } from '#server/calls/repeat.ts'
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
): Repetition {
  if (metricsPort === undefined) return { stop: () => Promise.resolve() }
  return repeat(intervalMs, () =>
    readDatabase().catch((error: unknown) =>
      logger.warn(
        { err: error },
        'The figures of the database could not be read. The metrics keep the last ones. The server reads them again in 15 seconds. Check the database if this repeats.',
      ),
    ),
  )
}
