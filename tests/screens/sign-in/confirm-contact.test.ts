import { afterEach, describe, expect, it, vi } from 'vitest'
import { askForCode } from '#portal/sign-in/ask-for-code.ts'
import { confirmContact } from '#portal/sign-in/confirm-contact.ts'
import { makeToken } from '#support/access-token.ts'
import { answerFetch } from '#support/fake-fetch.ts'
import { openSignInDesk } from '#support/sign-in-desk.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const mail = { method: 'email', value: 'awa@example.cm' } as const
const proof = { contact: mail, otp: '123456', language: 'fr' } as const

describe('a second contact', () => {
  it('is asked a code for by its own call', async () => {
    const asked = answerFetch(() => ({ json: { data: { statusCode: 0 } } }))
    const { call } = openSignInDesk()
    const question = { contact: mail, captchaAnswer: '', language: 'fr', purpose: 'addContact' } as const
    expect(await askForCode(call, question)).toEqual({ kind: 'sent' })
    expect(asked[0]).toMatchObject({ url: '/api/v1/contacts?lg=fr', body: { email: 'awa@example.cm' } })
  })

  it('is named by the session once its code was right', async () => {
    const asked = answerFetch(() => ({ json: { data: { token: makeToken({ email: 'awa@example.cm' }) } } }))
    const portal = openSignInDesk()
    await portal.session.begin({ token: makeToken() })
    expect(await confirmContact(portal, proof)).toMatchObject({ kind: 'added' })
    expect(asked[0]).toMatchObject({
      url: '/api/v1/contacts/confirm?lg=fr',
      body: { msisdn: '', email: 'awa@example.cm', otp: '123456' },
    })
    expect(portal.session.state()).toMatchObject({ kind: 'signed-in', claims: { email: 'awa@example.cm' } })
  })

  it.each([
    [400, 1, 'wrong', 'notice.codeWrong'],
    [400, 2, 'again', 'notice.codeExpired'],
    [400, 400, 'again', 'notice.contactRefused'],
    [503, 503, 'stay', undefined],
  ])('answered with status %i and statusCode %i: %s', async (status, statusCode, kind, key) => {
    answerFetch(() => ({ status, json: { statusCode, message: 'no' } }))
    const outcome = await confirmContact(openSignInDesk(), proof)
    expect(outcome.kind).toBe(kind)
    expect(outcome.notice?.[1]).toEqual(key && { key })
  })
})
