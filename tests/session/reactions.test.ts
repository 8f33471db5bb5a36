import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { reactionTo } from '#session/reactions.ts'

function answered(kind: 'refused' | 'broken', status: number): Problem {
  return { kind, status, statusCode: status, message: undefined, errors: [], data: undefined }
}

describe('a failing call, whichever it is (API36)', () => {
  it.each<[string, Problem, string]>([
    ['offline (ERR25)', { kind: 'offline' }, 'say-offline'],
    ['without any answer (ERR11)', { kind: 'unreachable', cause: 'no-answer' }, 'say-unavailable'],
    ['of status 500 (ERR11)', answered('broken', 500), 'say-unavailable'],
    ['of status 503 (ERR11)', answered('broken', 503), 'say-unavailable'],
    ['of status 401 (S83)', answered('refused', 401), 'sign-in'],
    ['of status 403 (ERR12, S84)', answered('refused', 403), 'go-home'],
    ['of status 429 (ERR12, S84)', answered('refused', 429), 'go-home'],
    ['of status 400', answered('refused', 400), 'none'],
    ['of status 409', answered('refused', 409), 'none'],
  ])('%s', (_name, problem, reaction) => {
    expect(reactionTo(problem).kind).toBe(reaction)
  })
})
