import { describe, expect, it } from 'vitest'
import { readClaims } from '#session/claims.ts'
import { refreshDelayMs } from '#session/token-refresh.ts'
import { makeToken } from '#support/data/access-token.ts'

describe('an access token', () => {
  it('gives its claims, also with letters outside ASCII (SES03)', () => {
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
    'gives no claims when it is malformed: %s',
    token => {
      expect(readClaims(token)).toBeUndefined()
    },
  )

  it('is refreshed after half of its lifetime (SES04)', () => {
    expect(refreshDelayMs({ iat: 1_000, exp: 1_900 })).toBe(450_000)
  })

  it('is refreshed after a pause when its lifetime is zero', () => {
    expect(refreshDelayMs({ iat: 1_000, exp: 1_000 })).toBe(1_000)
  })
})
