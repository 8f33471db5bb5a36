import type { Failure } from '#contract/failure.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { isHandledForAllScreens } from '#contract/routed-codes.ts'

/**
 * Why a call failed:
 * - `offline`: the device reports that it has no connection (S19);
 * - `unreachable`: no response, or a response that the service did not send (D34); `cause` says which;
 * - `refused`: the service answered with a status below 500;
 * - `broken`: status 500 or above, or the reason `in-flight`. The service may have done what the call asks,
 *   but not with the reason `busy`, and not when it takes no incomplete form because an order is open (D14). A retry
 *   uses the same key.
 */
export type Problem =
  | { kind: 'offline' }
  | { kind: 'unreachable'; cause: UnreachableCause }
  | ({ kind: 'refused' } & Answered)
  | ({ kind: 'broken' } & Answered)

/** `foreign`: the network answered in place of the service, as a captive portal does. `no-answer`: anything else. */
export type UnreachableCause = 'foreign' | 'no-answer'

/** What one attempt of a call (see `onReached`) says about the connection. `busy`: the service itself asks to come later. */
export type Reach = 'answered' | 'busy' | UnreachableCause

type Answered = {
  status: number
  /** The code by which the specification distinguishes failures; the HTTP status when the body has none (D11). */
  statusCode: number
  message: string | undefined
  /** A problem code of the contract; undefined when another back end answers. */
  reason?: string | undefined
  errors: NonNullable<Failure['errors']>
  data: unknown
  /** When the service asks for the next try, from `Retry-After`. */
  retryAfterSeconds?: number | undefined
}

/**
 * A call with this idempotency key has not ended, or the service takes no incomplete form because an order is open.
 * The same call may be sent again later (D13, D14).
 */
export const inFlightReason: ProblemCode = 'in-flight'

/** The service had too many calls and has done nothing for this one: the same call may be sent again (D92). */
export const busyReason: ProblemCode = 'busy'

/** A limit of this server on the calls of one applicant or network (D97, D120). Other back ends send 429 without it (S84). */
export const tooManyReason: ProblemCode = 'too-many-requests'

/** The application, payment or booking has another state: another page or device, or the office, may have acted (D129). */
export const wrongStateReason: ProblemCode = 'wrong-state'

export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem }

export function failed(problem: Problem): Result<never> {
  return { ok: false, problem }
}

/** Milliseconds that the service asked to wait before the next try; 0 when it did not. */
export function askedDelayMs(problem: Problem): number {
  return 'retryAfterSeconds' in problem ? (problem.retryAfterSeconds ?? 0) * 1_000 : 0
}

/** Wraps a `Problem` in an `Error`, because a TanStack query function reports a failure by throwing. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.kind)
    this.name = 'ProblemError'
    this.problem = problem
  }
}

/**
 * Whether the calling screen must handle this problem. The portal handles a missing connection, a broken service and
 * the statuses 401, 403 and 429 for all screens (API36).
 */
export function isHandledByScreen(problem: Problem): problem is Extract<Problem, { kind: 'refused' }> {
  return problem.kind === 'refused' && !isHandledForAllScreens(problem.status)
}
