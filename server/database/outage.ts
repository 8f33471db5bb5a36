import { PoolFullError } from './bounded-pool.ts'
import { errorCodeOf } from './retry.ts'

/** Class 08: the connection is lost or refused. 53: the server lacks memory, space or connections. */
const outageClasses = ['08', '53']

const outageCodes: ReadonlySet<unknown> = new Set([
  '57014', // statement_timeout, or an administrator canceled the statement
  '55P03', // lock_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25006', // the server accepts no writes: a standby, or a database that was set to read-only
  '40001', // a lost race that the retries did not win
  '40P01', // a deadlock that the retries, if there were any, did not win
  '57P01', // the server stops, or an administrator ended the connection
  '57P02', // another process of the server has crashed
  '57P03', // the server starts or stops
  '58030', // the server cannot read or write its files
  // The network between this machine and the database. `explainDatabaseFailure` explains those of a failed connect.
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
])

/** Errors of `pg` and `pg-pool` without a code. */
const outageMessages = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'There was an error establishing an SSL connection',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
]

/** A statement got no answer in time, so its connection was closed. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/**
 * A migration has changed a table since a statement was prepared, and a transaction has run the statement. The next
 * transaction can succeed (D73).
 */
export class StalePlanError extends Error {
  override readonly name = 'StalePlanError'
}

/**
 * Whether the database could not serve a statement now, although the statement has no fault: for example, it waited too
 * long, the connection is lost, or the database accepts no writes. The caller may try again later.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (ownErrors.some(kind => error instanceof kind)) return true
  const code = errorCodeOf(error)
  if (outageCodes.has(code) || isMissingSocket(error)) return true
  if (typeof code === 'string' && code.length === 5) return outageClasses.includes(code.slice(0, 2))
  return error instanceof Error && outageMessages.some(message => error.message.startsWith(message))
}

/** Whether there is no Unix socket: a PostgreSQL that is stopping removes its own. */
function isMissingSocket(error: unknown): boolean {
  const isOfConnect = error instanceof Error && 'syscall' in error && error.syscall === 'connect'
  return isOfConnect && errorCodeOf(error) === 'ENOENT'
}

const ownErrors = [NoAnswerError, StalePlanError, PoolFullError]
