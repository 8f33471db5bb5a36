import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { reactionInBackground, reactionTo } from '#session/reactions.ts'

function answered(kind: 'refused' | 'broken', status: number, reason?: string): Problem {
  return { kind, status, statusCode: status, message: undefined, reason, errors: [], data: undefined }
}

const limited = answered('refused', 429, 'too-many-requests')

describe('a failing call, whichever it is (API36)', () => {
  it.each<[string, Problem, string]>([
    ['offline (ERR25)', { kind: 'offline' }, 'say-offline'],
    ['without any answer (ERR11)', { kind: 'unreachable', cause: 'no-answer' }, 'say-unavailable'],
    ['of status 500 (ERR11)', answered('broken', 500), 'say-unavailable'],
    ['of status 503 (ERR11)', answered('broken', 503), 'say-unavailable'],
    ['of a service that was too busy (D92)', answered('broken', 503, 'busy'), 'say-busy'],
    ['while its last try still runs (D13)', answered('broken', 409, 'in-flight'), 'say-in-flight'],
    ['of status 401 (S83)', answered('refused', 401), 'sign-in'],
    ['of status 403 (ERR12, S84)', answered('refused', 403), 'go-home'],
    ['of status 429 (ERR12, S84)', answered('refused', 429), 'go-home'],
    ['of status 429 by a limit of this server (D97)', limited, 'say-too-many'],
    ['of status 400', answered('refused', 400), 'none'],
    ['of status 409', answered('refused', 409), 'none'],
  ])('%s', (_name, problem, reaction) => {
    expect(reactionTo(problem).kind).toBe(reaction)
  })
})

describe('a limit of this server (D97, D125)', () => {
  it.each([
    [5, 5],
    [undefined, 60],
  ])('of which Retry-After is %s says %i seconds', (retryAfterSeconds, seconds) => {
    expect(reactionTo({ ...limited, retryAfterSeconds } as Problem)).toEqual({
      kind: 'say-too-many',
      seconds,
    })
  })
})

describe('the code of an incident (ERR30)', () => {
  it.each([
    ['the code of this service', { incident: 'K7QF-2M9P' }, 'K7QF-2M9P'],
    ['no code', {}, undefined],
    ['no data', null, undefined],
    ['a text that is no code', { incident: 'call +237 6 00' }, undefined],
    ['a number', { incident: 12 }, undefined],
  ])('%s', (_what, data, incident) => {
    expect(reactionTo({ ...answered('broken', 500), data } as Problem)).toEqual({
      kind: 'say-unavailable',
      incident,
    })
  })
})

describe('a read of the portal at a return to the tab (D89)', () => {
  it.each<[string, Problem, string]>([
    ['of status 403 without the field `reason` of this server', answered('refused', 403), 'none'],
    ['of status 429 without the field `reason` of this server', answered('refused', 429), 'none'],
    [
      'of status 403 with the field `reason` of this server',
      answered('refused', 403, 'forbidden'),
      'go-home',
    ],
    ['by a limit of this server (D97)', limited, 'say-too-many'],
    ['of status 401 (S83)', answered('refused', 401), 'sign-in'],
    ['of status 500 (ERR11)', answered('broken', 500), 'say-unavailable'],
  ])('%s', (_name, problem, reaction) => {
    expect(reactionTo(problem, true).kind).toBe(reaction)
  })
})

describe('a call in the background', () => {
  it.each([
    ['refreshToken', 403, 'go-home'],
    ['refreshToken', 429, 'go-home'],
    ['refreshToken', 401, 'none'],
    ['refreshToken', 500, 'none'],
    ['readPayment', 403, 'go-home'],
    ['readPayment', 429, 'go-home'],
    ['readPayment', 404, 'none'],
    ['saveData', 429, 'none'],
    ['listCities', 403, 'none'],
    ['version', 429, 'none'],
  ] as const)('%s answered with %i (SES06, ERR12, API36, D89): %s', (name, status, reaction) => {
    const problem = answered(status < 500 ? 'refused' : 'broken', status)
    expect(reactionInBackground(name, problem).kind).toBe(reaction)
  })

  it('leaves the applicant on the page when a limit of this server refuses the poll or the refresh (D97)', () => {
    expect(reactionInBackground('readPayment', limited).kind).toBe('none')
    expect(reactionInBackground('refreshToken', limited).kind).toBe('none')
  })
})
