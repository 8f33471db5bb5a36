import { afterEach, describe, expect, it, vi } from 'vitest'
import { askForCode } from '#sign-in/request-code.ts'
import { signIn } from '#sign-in/sign-in.ts'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { openSignInFixture } from '#support/fixtures/sign-in-fixture.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const phone = { method: 'phone', value: '237671234567' } as const
const mail = { method: 'email', value: 'a@b.cm' } as const

describe('askForCode', () => {
  it('sends the number, the language as lg and the answer of the captcha (SIG10, SIG13, S34)', async () => {
    const requests = installFakeFetch(() => ({ json: { data: { statusCode: 0 } } }))
    const { call } = openSignInFixture()
    expect(await askForCode(call, { contact: phone, captchaAnswer: 'solved', language: 'en' })).toEqual({
      kind: 'sent',
    })
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/auth?lg=en',
      body: { msisdn: '237671234567', email: '', gRecaptchaResponse: 'solved' },
    })
  })

  it.each([3, 8, 9, 11, 12])('returns a captcha demand for statusCode %i (SIG12, S30)', async statusCode => {
    installFakeFetch(() => ({ json: { data: { statusCode } } }))
    const { call } = openSignInFixture()
    expect(await askForCode(call, { contact: mail, captchaAnswer: '', language: 'fr' })).toEqual({
      kind: 'captcha',
      statusCode,
    })
  })

  it.each([200, 400])(
    'returns the message of the server with the captcha demand, under HTTP status %i (SIG12, S35)',
    async status => {
      const message = 'Confirmez que vous n’êtes pas un robot.'
      installFakeFetch(() => ({ status, json: { statusCode: 9, message } }))
      const { call } = openSignInFixture()
      const result = await askForCode(call, { contact: mail, captchaAnswer: '', language: 'fr' })
      expect(result).toEqual({ kind: 'captcha', statusCode: 9, message })
    },
  )

  it.each([1, 2, 5, 17, 77, 400])(
    'has sent no code when statusCode is %i (S36, ERR03, ERR04)',
    async statusCode => {
      installFakeFetch(() => ({ json: { data: { statusCode } } }))
      const { call } = openSignInFixture()
      expect(await askForCode(call, { contact: phone, captchaAnswer: '', language: 'fr' })).toEqual({
        kind: 'refused',
      })
    },
  )

  it.each([{}, { statusCode: null }, { statusCode: 200 }])('has sent a code for %j (S36)', async data => {
    installFakeFetch(() => ({ json: { data } }))
    const { call } = openSignInFixture()
    expect(await askForCode(call, { contact: phone, captchaAnswer: '', language: 'fr' })).toEqual({
      kind: 'sent',
    })
  })

  it('returns how hard a puzzle the server demands (D91)', async () => {
    installFakeFetch(() => ({ json: { statusCode: 3, data: { statusCode: 3, work: 4 } } }))
    const { call } = openSignInFixture()
    const result = await askForCode(call, { contact: mail, captchaAnswer: '', language: 'fr' })
    expect(result).toEqual({ kind: 'captcha', statusCode: 3, work: 4 })
  })

  it.each(['sms-spent', 'email-spent'])('returns the message of the server for %s (D91)', async reason => {
    const message = 'Utilisez une adresse e-mail.'
    installFakeFetch(() => ({ status: 409, json: { statusCode: 409, reason, message, data: {} } }))
    const { call } = openSignInFixture()
    const result = await askForCode(call, { contact: phone, captchaAnswer: '', language: 'fr' })
    expect(result).toEqual({ kind: 'refused', message })
  })

  it('returns the seconds to wait instead of a captcha when the server sends seconds (D20)', async () => {
    installFakeFetch(() => ({ json: { statusCode: 9, data: { statusCode: 9, seconds: 42 } } }))
    const { call } = openSignInFixture()
    const result = await askForCode(call, { contact: phone, captchaAnswer: '', language: 'fr' })
    expect(result).toEqual({ kind: 'wait', seconds: 42 })
  })

  it.each([
    [400, 'refused'],
    [422, 'refused'],
    [429, 'announced'],
    [500, 'announced'],
  ])('for HTTP status %i returns %s', async (status, kind) => {
    installFakeFetch(() => ({ status, json: { statusCode: status, message: 'no' } }))
    const { call } = openSignInFixture()
    expect((await askForCode(call, { contact: phone, captchaAnswer: '', language: 'fr' })).kind).toBe(kind)
  })
})

describe('signIn, which reads the statusCode when the HTTP status is below 500 (S47)', () => {
  it('starts a session (OTP08)', async () => {
    const requests = installFakeFetch(() => ({ json: { data: { token: makeToken(), applicantId: 'ap-1' } } }))
    const portal = openSignInFixture()
    const outcome = await signIn(portal, { contact: mail, otp: '123456', language: 'fr' })
    expect(outcome).toMatchObject({ kind: 'signed-in', notice: ['success', { key: 'notice.welcome' }] })
    expect(portal.session.state().kind).toBe('signed-in')
    expect(requests[0]).toMatchObject({
      url: '/api/v1/login?lg=fr',
      body: { msisdn: '', email: 'a@b.cm', otp: '123456' },
    })
  })

  it.each([
    ['statusCode 1 (ERR01)', phone, 400, 1, 'wrong', ['warning', { key: 'notice.codeWrong' }]],
    ['statusCode 1 under status 200', phone, 200, 1, 'wrong', ['warning', { key: 'notice.codeWrong' }]],
    ['another refusal, by phone (ERR03)', phone, 400, 400, 'stay', ['warning', { key: 'notice.checkPhone' }]],
    ['another refusal, by e-mail (ERR04)', mail, 422, 422, 'stay', ['danger', { key: 'notice.checkEmail' }]],
    ['status 500, for which the portal has shown a notice', mail, 500, 500, 'stay', undefined],
  ])('handles %s', async (_name, contact, status, statusCode, kind, notice) => {
    installFakeFetch(() => ({ status, json: { statusCode, message: 'no' } }))
    const outcome = await signIn(openSignInFixture(), { contact, otp: '1', language: 'fr' })
    expect(outcome).toEqual({ kind, notice })
  })

  it.each([
    [undefined, false],
    [3, false],
    [0, true],
  ])(
    'for statusCode 2 with %s tries left returns expired with spent = %s (ERR02)',
    async (triesLeft, spent) => {
      installFakeFetch(() => ({ status: 400, json: { statusCode: 2, data: { statusCode: 2, triesLeft } } }))
      const outcome = await signIn(openSignInFixture(), { contact: phone, otp: '1', language: 'fr' })
      expect(outcome).toEqual({ kind: 'expired', spent, notice: ['warning', { key: 'notice.codeExpired' }] })
    },
  )

  it.each([
    [4, 'wrong'],
    [1, 'lastTry'],
    [0, 'spent'],
  ])('for statusCode 1 with %i tries left returns %s (ERR01, D21)', async (triesLeft, kind) => {
    installFakeFetch(() => ({ status: 400, json: { statusCode: 1, data: { statusCode: 1, triesLeft } } }))
    const outcome = await signIn(openSignInFixture(), { contact: phone, otp: '1', language: 'fr' })
    expect(outcome).toEqual({ kind, notice: ['warning', { key: 'notice.codeWrong' }] })
  })

  it('returns a notice when the token is unreadable (ERR13)', async () => {
    installFakeFetch(() => ({ json: { data: { token: 'x', applicantId: 'ap-1' } } }))
    const outcome = await signIn(openSignInFixture(), { contact: phone, otp: '1', language: 'fr' })
    expect(outcome).toEqual({ kind: 'stay', notice: ['warning', { key: 'notice.generic' }] })
  })
})

describe('a sign-in during which another tab logs out', () => {
  it('is logged out at the server, which may have answered the log-out of that tab before (S80)', async () => {
    const applicantId = 'ap-2'
    const signedIn = { json: { data: { token: makeToken({ applicantId }), applicantId } } }
    const login = { answer: () => {} }
    const answered = new Promise<void>(resolve => (login.answer = resolve))
    const requests = installFakeFetch(({ url }) =>
      url.includes('/logout') ? {} : answered.then(() => signedIn),
    )
    const device = createFakeDevice()
    const portal = openSignInFixture({ device })
    await portal.session.begin({ token: makeToken() })
    const signing = signIn(portal, { contact: phone, otp: '123456', language: 'fr' })
    device.receiveBroadcast({ kind: 'logged-out', sessionId: portal.session.id() })
    login.answer()
    expect(await signing).toMatchObject({ kind: 'stay' })
    await device.advance(15_000)
    await expect.poll(() => requests.filter(({ url }) => url.includes('/logout')).length).toBe(1)
  })

  it('is logged out at the server, and returns no notice, also when the log-out comes while the session opens (S80, S85)', async () => {
    const device = createFakeDevice()
    const portal = openSignInFixture({ device })
    const signedIn = { json: { data: { token: makeToken(), applicantId: 'ap-1' } } }
    const requests = installFakeFetch(({ url }) => (url.includes('/logout') ? {} : signedIn))
    const save = device.saveText.bind(device)
    device.saveText = (key, text) => {
      save(key, text)
      // The page saves the id of its new session just before it unlocks the store.
      if (key === 'session-id' && text !== undefined)
        queueMicrotask(() => device.receiveBroadcast({ kind: 'logged-out', sessionId: 'older' }))
    }
    const outcome = await signIn(portal, { contact: phone, otp: '123456', language: 'fr' })
    expect(outcome).toEqual({ kind: 'stay', notice: undefined })
    expect(portal.session.state().kind).toBe('signed-out')
    await device.advance(15_000)
    await expect.poll(() => requests.filter(({ url }) => url.includes('/logout')).length).toBe(1)
  })
})
