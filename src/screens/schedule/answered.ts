import type { Problem } from '#api/result.ts'

/** A refusal that this screen has to deal with; all else was said where every call is watched. */
export function isForHere(problem: Problem): boolean {
  return problem.kind === 'refused' && ![401, 403, 429].includes(problem.status)
}
