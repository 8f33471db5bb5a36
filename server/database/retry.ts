import { setTimeout as pause } from 'node:timers/promises'

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

/** Whether the error is the database's refusal of a second row with the same unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCodeOf(error) === UNIQUE_VIOLATION
}

/**
 * Retries a statement or a transaction after a unique violation, a serialization failure or a deadlock. `run` must be
 * safe to repeat.
 *
 * @throws the last of these errors after `attempts` tries; any other error at once.
 */
export async function retryOnConflict<Result>(run: () => Promise<Result>, attempts = 5): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error
    }
    // A random pause, so that two conflicting calls do not retry at the same moment. Milliseconds.
    await pause(Math.random() * 5 * attempt)
  }
}

/** Whether another transaction came first: the same statement or transaction may succeed now. */
export function isConflict(error: unknown): boolean {
  const code = errorCodeOf(error)
  return code === UNIQUE_VIOLATION || code === SERIALIZATION_FAILURE || code === DEADLOCK
}

/** Whether a statement got no lock: it waited too long, or would have waited for ever. */
export function isLockRefusal(error: unknown): boolean {
  return errorCodeOf(error) === LOCK_NOT_AVAILABLE || isDeadlock(error)
}

/** Whether two transactions waited for each other, and PostgreSQL has ended this one without effect. */
export function isDeadlock(error: unknown): boolean {
  return errorCodeOf(error) === DEADLOCK
}

/**
 * Returns the code of an error of PostgreSQL (`23505`) or Node (`ENOENT`); undefined without one. The class does not
 * identify an error of PostgreSQL: a second copy of `pg` has another class.
 */
export function errorCodeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
