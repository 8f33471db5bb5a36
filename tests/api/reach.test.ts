import { describe, expect, it } from 'vitest'
import { type AnswerFacts, causeOf, reachOf } from '#api/reach.ts'
import { failed, type Reach, type UnreachableCause } from '#api/result.ts'

const answer: AnswerFacts = { status: 200, isRedirect: false, mark: 'missing' }

describe('why an answer is not the answer of the service (D34, D60)', () => {
  it.each<[string, AnswerFacts, UnreachableCause]>([
    ['a page or JSON without the mark', answer, 'foreign'],
    ['a redirect', { ...answer, status: 0, isRedirect: true }, 'foreign'],
    ['status 511', { ...answer, status: 511 }, 'foreign'],
    ['status 511 with a copied mark', { ...answer, status: 511, mark: 'valid' }, 'foreign'],
    ['a 403 without the mark', { ...answer, status: 403 }, 'foreign'],
    ['a 429 without the mark', { ...answer, status: 429 }, 'foreign'],
    ['a 502 of a proxy', { ...answer, status: 502 }, 'no-answer'],
    ['a 503 of a proxy', { ...answer, status: 503 }, 'no-answer'],
    ['a body that was cut off', { ...answer, mark: 'invalid' }, 'no-answer'],
    [
      'an answer with a valid mark, of a shape that the contract does not know',
      { ...answer, mark: 'valid' },
      'no-answer',
    ],
  ])('%s', (_, facts, cause) => {
    expect(causeOf(facts)).toBe(cause)
  })
})

describe('what a decoded answer says about the connection (D34)', () => {
  const value = { ok: true, value: {} } as const
  const refused = { statusCode: 429, message: undefined, errors: [], data: undefined }

  it.each<[string, Parameters<typeof reachOf>, Reach]>([
    ['a value', [value, { ...answer, mark: 'valid' }], 'answered'],
    ['a foreign answer', [failed({ kind: 'unreachable', cause: 'foreign' }), answer], 'foreign'],
    [
      'a 429 of the service',
      [failed({ kind: 'refused', status: 429, ...refused }), { ...answer, status: 429, mark: 'valid' }],
      'busy',
    ],
    [
      'a limit on this applicant alone (D97, D125)',
      [
        failed({ kind: 'refused', status: 429, ...refused, reason: 'too-many-requests' }),
        { ...answer, status: 429, mark: 'valid' },
      ],
      'answered',
    ],
    [
      'a 503 of the service',
      [failed({ kind: 'broken', status: 503, ...refused }), { ...answer, status: 503, mark: 'valid' }],
      'busy',
    ],
    [
      'a 503 of a service that marks nothing',
      [failed({ kind: 'broken', status: 503, ...refused }), { ...answer, status: 503 }],
      'answered',
    ],
  ])('%s', (_, input, reach) => {
    expect(reachOf(...input)).toBe(reach)
  })
})
