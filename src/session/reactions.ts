import type { Problem } from '#api/result.ts'

/** The reaction to a failed call that is the same on every screen (API36). */
export type Reaction =
  | { kind: 'none' }
  | { kind: 'say-offline' }
  | { kind: 'say-unavailable' }
  | { kind: 'go-home' }
  | { kind: 'sign-in' }

/** ERR11, ERR12, S19, S83, S84. */
export function reactionTo(problem: Problem): Reaction {
  switch (problem.kind) {
    case 'offline':
      return { kind: 'say-offline' }
    case 'unreachable':
    case 'broken':
      return { kind: 'say-unavailable' }
    case 'refused':
      if (problem.status === 401) return { kind: 'sign-in' }
      return problem.status === 403 || problem.status === 429 ? { kind: 'go-home' } : { kind: 'none' }
  }
}
