import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCall } from '#api/client.ts'
import { askForCode } from '#portal/sign-in/ask-for-code.ts'
import { confirmContact } from '#portal/sign-in/confirm-contact.ts'
import { createSession } from '#session/session.ts'
import { makeToken } from '#support/access-token.ts'
import { answerFetch } from '#support/fake-fetch.ts'
import { createWoundDevice } from '#support/wound-device.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const mail = { method: 'email', value: 'awa@example.cm' } as const
const proof = { contact: mail, otp: '123456', language: 'fr' } as const

function openPortal() {
  const device = createWoundDevice()
  const call = createCall({
    device,
    origin: '',
    token: () => session.token(),
    renew: () => session.renew(),
    onProblem: () => undefined,
    onReached: () => undefined,
  })
  const session = createSession({
    device,
    call,
    use: () => ({ kind: 'own' }),
    onOpen: async () => undefined,
    onLeaving: async () => undefined,
    onEnd: async () => undefined,
  })
  return { call, session }
}

describe('a second contact', () => {
  it('is asked a code for by its own call', async () => {
    const asked = answerFetch(() => ({ json: { data: { statusCode: 0 } } }))
    const { call } = openPortal()
    const question = { contact: mail, captchaAnswer: '', language: 'fr', purpose: 'addContact' } as const
    expect(await askForCode(call, question)).toEqual({ kind: 'sent' })
    expect(asked[0]).toMatchObject({ url: '/api/v1/contacts?lg=fr', body: { email: 'awa@example.cm' } })
  })

  it('is named by the session once its code was right', async () => {
    const asked = answerFetch(() => ({ json: { data: { token: makeToken({ email: 'awa@example.cm' }) } } }))
    const portal = openPortal()
    await portal.session.begin({ token: makeToken() })
    expect(await confirmContact(portal, proof)).toMatchObject({ kind: 'added' })
    expect(asked[0]).toMatchObject({
      url: '/api/v1/contacts/confirm?lg=fr',
      body: { msisdn: '', email: 'awa@example.cm', otp: '123456' },
    })
    expect(portal.session.state()).toMatchObject({ kind: 'signed-in', claims: { email: 'awa@example.cm' } })
  })

  it.each([
    [400, 1, 'stay', 'notice.codeWrong'],
    [400, 2, 'again', 'notice.codeExpired'],
    [400, 400, 'again', 'notice.contactRefused'],
    [503, 503, 'stay', undefined],
  ])('answered with status %i and statusCode %i: %s', async (status, statusCode, kind, key) => {
    answerFetch(() => ({ status, json: { statusCode, message: 'no' } }))
    const outcome = await confirmContact(openPortal(), proof)
    expect(outcome.kind).toBe(kind)
    expect(outcome.notice?.[1]).toEqual(key && { key })
  })
})
