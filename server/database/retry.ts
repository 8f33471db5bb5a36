import { setTimeout as pause } from 'node:timers/promises'

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Whether the database refused a second row with the same key. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION
}

/**
 * Runs a statement or a whole transaction again when it lost a race that a second attempt may win. A clash that is
 * no race (a key that stays taken) comes out as it went in.
 */
export async function retryOnConflict<Result>(run: () => Promise<Result>, attempts = 5): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error
    }
    // Two that clashed must not come back in step.
    await pause(Math.random() * 5 * attempt)
  }
}

function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === UNIQUE_VIOLATION || code === SERIALIZATION_FAILURE || code === DEADLOCK
}

/** By code, never by class: a bundle or a second copy of `pg` has another class of the same name. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
