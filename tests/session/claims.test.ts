import { describe, expect, it } from 'vitest'
import { readClaims } from '#session/claims.ts'
import { refreshDelayMs } from '#session/token-refresh.ts'
import { makeToken } from '#support/data/access-token.ts'

describe('an access token', () => {
  it('is read for its claims, whatever alphabet its contact has (SES03)', () => {
    const claims = {
      msisdn: '',
      email: 'aïcha@exemple.cm',
      applicantId: 'ap-9',
      iat: 10,
      exp: 20,
      inactivity: 600,
    }
    expect(readClaims(makeToken(claims))).toEqual(claims)
  })

  it.each(['', 'x', 'a.b.c', `a.${Buffer.from('{"applicantId":1}').toString('base64url')}.c`])(
    'that is none gives none: %s',
    token => {
      expect(readClaims(token)).toBeUndefined()
    },
  )

  it('is renewed after half of its lifetime (SES04)', () => {
    expect(refreshDelayMs({ iat: 1_000, exp: 1_900 })).toBe(450_000)
  })

  it('of no lifetime does not renew without a pause', () => {
    expect(refreshDelayMs({ iat: 1_000, exp: 1_000 })).toBe(1_000)
  })
})
