import { inspect } from 'node:util'
import type { Configuration } from '#server/config/config.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { codeOf } from '#server/database/retry.ts'

/** Returns one sentence about why the server did not start, and what to do. An unknown fault keeps its stack. */
export function explainFault(error: unknown, config: Configuration): string {
  const port = error instanceof Error && 'port' in error ? String(error.port) : String(config.port)
  if (codeOf(error) === 'EADDRINUSE')
    return `Port ${port} is taken by another program. Stop it, or set another PORT (or METRICS_PORT).`
  if (codeOf(error) === 'EACCES' && error instanceof Error && 'port' in error)
    return `This user may not listen at port ${port}. Set another PORT (or METRICS_PORT): ports below 1024 are for root.`
  return explainDatabaseFailure(error, config) ?? explainUnknown(error)
}

export function explainUnknown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error)
}
