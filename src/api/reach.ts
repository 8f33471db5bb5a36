import type { MarkCheck } from '#contract/answer-mark.ts'
import { type Reach, type Result, tooManyReason, type UnreachableCause } from './result.ts'

/** `isRedirect`: the browser followed a redirect, or got one that it was told not to follow. */
export type AnswerFacts = { status: number; isRedirect: boolean; mark: Exclude<MarkCheck, 'unbound'> }

/** The service never redirects a call and never answers 511, but captive portals do (D34). */
export function isForeign({ status, isRedirect }: Omit<AnswerFacts, 'mark'>): boolean {
  return isRedirect || status === 511
}

/**
 * Returns why the service counts as unreachable after an answer that is not its own. A proxy in front of the service sends a
 * 5xx when the service is down, and a damaged answer has a wrong mark. Neither comes from a captive portal.
 */
export function causeOf(facts: AnswerFacts): UnreachableCause {
  if (isForeign(facts)) return 'foreign'
  return facts.status >= 500 || facts.mark !== 'missing' ? 'no-answer' : 'foreign'
}

/**
 * Returns what a decoded answer says about the connection. Only a 429 or 503 of the service itself says that it is busy,
 * but not the 429 of a limit on this applicant or network (D97, D120).
 */
export function reachOf(result: Result<unknown>, { status, mark }: AnswerFacts): Reach {
  if (!result.ok && result.problem.kind === 'unreachable') return result.problem.cause
  if (!result.ok && result.problem.kind === 'refused' && result.problem.reason === tooManyReason)
    return 'answered'
  return mark === 'valid' && (status === 429 || status === 503) ? 'busy' : 'answered'
}
