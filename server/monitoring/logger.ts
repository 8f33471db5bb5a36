import { hostname } from 'node:os'
import { pino, type Logger as Pino, type LoggerOptions } from 'pino'
import type { Configuration } from '#server/config/config.ts'
import { requestIds } from './request-context.ts'

/** The part of pino that features use. Callers must not log personal data. */
export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Logs JSON lines to the standard output. Requests are logged by the pattern of their route and by their id. Addresses,
 * queries, bodies and all other headers are never logged, and `redactPersonal` removes e-mail addresses, tokens and
 * long numbers that an error quotes.
 */
export function createLogger(config: Pick<Configuration, 'logLevel'>): Pino {
  return pino(loggerSettings(config.logLevel))
}

/** The settings of pino, for `createLogger` and for tests. */
export function loggerSettings(level: Configuration['logLevel']): LoggerOptions {
  return {
    level,
    base: { host: hostname(), process: process.pid },
    mixin: nameRequest,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError, error: describeError, req: () => undefined, res: () => undefined },
    formatters: { level: label => ({ level: label }) },
  }
}

function nameRequest(): object {
  const request = requestIds.getStore()
  return request === undefined ? {} : { request }
}

/** Returns the only parts of an error that are logged, redacted: the error of a database can quote a row. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redactPersonal(String(error)) }
  return {
    type: error.name,
    message: redactPersonal(error.message),
    stack: redactPersonal(error.stack ?? ''),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  }
}

/** Replaces e-mail addresses, tokens and runs of six or more digits (phone numbers, codes). */
function redactPersonal(text: string): string {
  return text
    .replace(/[^\s@"'<>()]+@[^\s@"'<>()]+\.[^\s@"'<>()]+/g, '…@…')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '…token…')
    .replace(/\d{6,}/g, '……')
}
