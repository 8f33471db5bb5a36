import type { Failure } from '#contract/failure.ts'
import { isHandledByRedirect } from '#contract/problems.ts'

/**
 * Why a call did not succeed, as a closed list:
 * `offline` the device itself says so (S19); `unreachable` no answer, or an answer that is not the
 * service's (a captive portal, D34); `refused` an answer below 500 that says no; `broken` 500 and above, or an earlier
 * try of the same intent that is still being worked on: its key is kept and sent again.
 */
export type Problem =
  | { kind: 'offline' }
  | { kind: 'unreachable' }
  | ({ kind: 'refused' } & Answered)
  | ({ kind: 'broken' } & Answered)

type Answered = {
  status: number
  /** What the specification routes by; the HTTP status where it names none (D11). */
  statusCode: number
  message: string | undefined
  /** The closed code of a service like ours; another one sends none. */
  reason?: string | undefined
  errors: NonNullable<Failure['errors']>
  data: unknown
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; problem: Problem }

export function failed(problem: Problem): Result<never> {
  return { ok: false, problem }
}

/** What TanStack Query throws for us: a problem in the clothes of an error. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.kind)
    this.name = 'ProblemError'
    this.problem = problem
  }
}

/**
 * A refusal that the asking screen has to deal with: no line, no service, 401, 403 and 429 are dealt with for every
 * screen alike (API36).
 */
export function isHandledByScreen(problem: Problem): problem is Extract<Problem, { kind: 'refused' }> {
  return problem.kind === 'refused' && !isHandledByRedirect(problem.status)
}
