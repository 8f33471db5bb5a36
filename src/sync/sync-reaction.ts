import { inFlightReason, type Problem } from '#api/result.ts'
import type { Draft, SentFault } from '#store/draft.ts'
import { withoutBackoff } from './backoff.ts'

export type SyncReaction =
  /** Retry later under the same key. */
  | { kind: 'retry' }
  /**
   * While a payment order is open, the server accepts no incomplete answers: it has stored nothing, and has not used this key
   * (D14).
   */
  | { kind: 'held-by-order' }
  /** Send nothing until there is a new token. */
  | { kind: 'sign-in' }
  | { kind: 'refused'; faults: SentFault[] }
  | { kind: 'gone' }
  | { kind: 'not-allowed' }
  /** Another device wrote first: `data` is the server's form, to merge with. */
  | { kind: 'stale'; data: unknown }
  /** The application is in a later state: its form is closed. */
  | { kind: 'wrong-state' }
  /** The server knows this key with another body: the next try has a new key, and sends the newest answers. */
  | { kind: 'new-key' }

/** What a failed call means for the draft. */
export function syncReactionTo(problem: Problem): SyncReaction {
  if (isHeldByOrder(problem)) return { kind: 'held-by-order' }
  if (problem.kind !== 'refused') return { kind: 'retry' }
  switch (problem.status) {
    case 401:
      return { kind: 'sign-in' }
    // Without a reason a proxy or a captive portal may have answered instead of the service, for a time.
    case 403:
      return problem.reason === undefined ? { kind: 'retry' } : { kind: 'not-allowed' }
    case 404:
      return problem.reason === undefined ? { kind: 'retry' } : { kind: 'gone' }
    case 408:
    case 425:
    case 429:
      return { kind: 'retry' }
    case 409:
      if (problem.reason === inFlightReason) return { kind: 'retry' }
      if (problem.reason === 'wrong-state') return { kind: 'wrong-state' }
      return { kind: 'stale', data: problem.data }
    default:
      if (problem.reason === 'key-reused') return { kind: 'new-key' }
      return { kind: 'refused', faults: problem.errors.flatMap(readFault) }
  }
}

/** Without `paymentId` an earlier attempt with the same key may still run: a retry must send the same body (D13). */
function isHeldByOrder(problem: Problem): boolean {
  if (!('reason' in problem) || problem.reason !== inFlightReason) return false
  return typeof problem.data === 'object' && problem.data !== null && 'paymentId' in problem.data
}

function readFault(
  error: string | { field?: string | undefined; message?: string | undefined },
): SentFault[] {
  return typeof error === 'string' || error.field === undefined
    ? []
    : [{ field: error.field, message: error.message }]
}

/** Drops the write and the Submit from the draft, because the server has refused. A later write gets a new key. */
export function markStuck(draft: Draft, stuck: NonNullable<Draft['stuck']>): Draft {
  const { sending: _, submitted: __, faulty: ___, ...rest } = withoutBackoff(draft)
  return { ...rest, stuck }
}
