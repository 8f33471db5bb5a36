import { afterEach, describe, expect, it, vi } from 'vitest'
import { askForCode } from '#sign-in/request-code.ts'
import { pendingLogoutKey } from '#store/device-use.ts'
import { confirmContact } from '#sign-in/confirm-contact.ts'
import { makeToken } from '#support/data/access-token.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { openSignInFixture } from '#support/fixtures/sign-in-fixture.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const mail = { method: 'email', value: 'awa@example.cm' } as const
const proof = { contact: mail, otp: '123456', language: 'fr' } as const

describe('confirmContact', () => {
  it('needs a code, which askForCode requests at /contacts instead of /auth', async () => {
    const requests = installFakeFetch(() => ({ json: { data: { statusCode: 0 } } }))
    const { call } = openSignInFixture()
    const question = {
      contact: mail,
      captchaAnswer: '',
      language: 'fr',
      purpose: (request: Parameters<typeof call<'addContact'>>[1]) => call('addContact', request),
    } as const
    expect(await askForCode(call, question)).toEqual({ kind: 'sent' })
    expect(requests[0]).toMatchObject({ url: '/api/v1/contacts?lg=fr', body: { email: 'awa@example.cm' } })
  })

  it('adds the contact to the session when the code is right', async () => {
    const requests = installFakeFetch(() => ({
      json: { data: { token: makeToken({ email: 'awa@example.cm' }) } },
    }))
    const portal = openSignInFixture()
    await portal.session.begin({ token: makeToken() })
    expect(await confirmContact(portal, proof)).toMatchObject({ kind: 'added' })
    expect(requests[0]).toMatchObject({
      url: '/api/v1/contacts/confirm?lg=fr',
      body: { msisdn: '', email: 'awa@example.cm', otp: '123456' },
    })
    expect(portal.session.state()).toMatchObject({ kind: 'signed-in', claims: { email: 'awa@example.cm' } })
  })

  it('returns no notice and leaves a log-out pending when another tab logs out while the session takes the new token (S80, S85)', async () => {
    // The store takes the other key of this answer (D110).
    const data = { token: makeToken({ email: 'awa@example.cm' }), draftKey: 'changed' }
    installFakeFetch(() => ({ json: { data } }))
    const device = createFakeDevice()
    const endings: unknown[] = []
    const portal = openSignInFixture({
      device,
      onEnd: ending => endings.push(ending),
      // At the sign-in the tab has no session yet.
      onOpen: () =>
        portal.session.state().kind === 'signed-in' &&
        device.receiveBroadcast({ kind: 'logged-out', sessionId: portal.session.id() }),
    })
    await portal.session.begin({ token: makeToken(), draftKey: 'secret' })
    expect(await confirmContact(portal, proof)).toEqual({ kind: 'stay', notice: undefined })
    expect(endings).toEqual(['asked'])
    // The log-out of the other tab may have failed: then the browser still has the cookie of the session.
    expect(device.readText(pendingLogoutKey)).toBeDefined()
  })

  it('leaves the log-out pending that another tab could not send during the request (S80)', async () => {
    const device = createFakeDevice()
    installFakeFetch(() => {
      // The message of the other tab comes later.
      device.saveText(pendingLogoutKey, '1')
      return { json: { data: { token: makeToken({ email: 'awa@example.cm' }) } } }
    })
    const portal = openSignInFixture({ device })
    await portal.session.begin({ token: makeToken() })
    await confirmContact(portal, proof)
    expect(device.readText(pendingLogoutKey)).toBeDefined()
  })

  it('asks for the other contact again when its proof has ended (D70)', async () => {
    installFakeFetch(() => ({ status: 409, json: { statusCode: 409, reason: 'proof-needed' } }))
    expect(await confirmContact(openSignInFixture(), proof)).toEqual({
      kind: 'proof-needed',
      notice: undefined,
    })
  })

  it.each([
    [400, 1, 'wrong', 'notice.codeWrong'],
    [400, 2, 'start-again', 'notice.codeExpired'],
    [400, 400, 'start-again', 'notice.contactRefused'],
    [503, 503, 'stay', undefined],
  ])('handles status %i and statusCode %i as %s', async (status, statusCode, kind, key) => {
    installFakeFetch(() => ({ status, json: { statusCode, message: 'no' } }))
    const outcome = await confirmContact(openSignInFixture(), proof)
    expect(outcome.kind).toBe(kind)
    expect(outcome.notice?.[1]).toEqual(key && { key })
  })
})
