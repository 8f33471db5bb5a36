import type { MarkCheck } from '#contract/answer-mark.ts'
import { type Reach, type Result, tooManyReason, type UnreachableCause } from './result.ts'

/** `isRedirect`: the browser followed a redirect, or was told not to follow one. */
export type AnswerFacts = { status: number; isRedirect: boolean; mark: Exclude<MarkCheck, 'unbound'> }

/** The service never redirects and never answers 511, but captive portals do (D34). */
export function isForeign({ status, isRedirect }: Omit<AnswerFacts, 'mark'>): boolean {
  return isRedirect || status === 511
}

/**
 * Returns the cause of an answer that is not the service's own. A proxy in front of the service sends a 5xx when the
 * service is down, and a damaged answer has a wrong mark. Neither comes from a captive portal.
 */
export function causeOf(facts: AnswerFacts): UnreachableCause {
  if (isForeign(facts)) return 'foreign'
  return facts.status >= 500 || facts.mark !== 'missing' ? 'no-answer' : 'foreign'
}

/**
 * Returns what a decoded answer says about the connection. Only the service's own 429 or 503 says that it is busy; a limit
 * on this applicant or network does not (D97, D120).
 */
export function reachOf(result: Result<unknown>, { status, mark }: AnswerFacts): Reach {
  if (!result.ok && result.problem.kind === 'unreachable') return result.problem.cause
  if (!result.ok && result.problem.kind === 'refused' && result.problem.reason === tooManyReason)
    return 'answered'
  return mark === 'valid' && (status === 429 || status === 503) ? 'busy' : 'answered'
}
