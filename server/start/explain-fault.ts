import { inspect } from 'node:util'
import type { Configuration } from '#server/config/config.ts'
import { explainDatabaseFailure } from '#server/database/explain-failure.ts'
import { UnknownDataKeyError } from '#server/crypto/sealed-values.ts'
import { errorCodeOf } from '#server/database/retry.ts'

/** Returns why the server did not start, and what to do. Returns the stack of an unknown fault. */
export function explainFault(error: unknown, config: Configuration): string {
  const port = error instanceof Error && 'port' in error ? String(error.port) : String(config.port)
  if (errorCodeOf(error) === 'EADDRINUSE')
    return `Port ${port} is taken by another program. Stop it, or set another PORT (or METRICS_PORT).`
  if (errorCodeOf(error) === 'EACCES' && error instanceof Error && 'port' in error)
    return `This user may not listen at port ${port}. Set another PORT (or METRICS_PORT): ports below 1024 are for root.`
  if (isAboutMetricsHost(error, config))
    return `The address of METRICS_HOST, ${config.metricsHost}, is not one of this machine. Set 127.0.0.1, or 0.0.0.0 for all of its addresses.`
  if (errorCodeOf(error) === 'NO_SIMULATORS')
    return 'PAYMENT_SIMULATORS must be off: this installation has no simulated payment providers.'
  if (error instanceof UnknownDataKeyError) return error.message
  return explainDatabaseFailure(error, config) ?? explainUnknown(error)
}

/** The host of the database can be unknown too: only the name in the error says which one is meant. */
function isAboutMetricsHost(error: unknown, { metricsHost }: Configuration): boolean {
  if (!(error instanceof Error)) return false
  const host = 'hostname' in error ? error.hostname : 'address' in error ? error.address : undefined
  return (
    host === metricsHost && ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(String(errorCodeOf(error)))
  )
}

export function explainUnknown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error)
}
