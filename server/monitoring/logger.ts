import { pino, type Logger as Pino, type LoggerOptions } from 'pino'
import type { Configuration } from '#server/config/config.ts'

/** The part of pino that features use; no personal data goes in. */
export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * JSON lines on the standard output. A request is logged by its route's pattern; addresses, queries, bodies and
 * headers never reach a line, and what an error quotes of them is blanked.
 */
export function createLogger(config: Pick<Configuration, 'logLevel'>): Pino {
  return pino(loggerSettings(config.logLevel))
}

export function loggerSettings(level: Configuration['logLevel']): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError, error: describeError, req: () => undefined, res: () => undefined },
    formatters: { level: label => ({ level: label }) },
  }
}

/** A database's error quotes the row it refused; nothing of an error is logged but these, and those blanked. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redactPersonal(String(error)) }
  return {
    type: error.name,
    message: redactPersonal(error.message),
    stack: redactPersonal(error.stack ?? ''),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  }
}

/** E-mail addresses, tokens and runs of six digits or more (numbers, codes). */
export function redactPersonal(text: string): string {
  return text
    .replace(/[^\s@"'<>()]+@[^\s@"'<>()]+\.[^\s@"'<>()]+/g, '…@…')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '…token…')
    .replace(/\d{6,}/g, '……')
}
