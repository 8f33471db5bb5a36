import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, openBrowser, refreshCookie, type TestBrowser } from '#support/servers/api-client.ts'
import { recordStatements } from '#support/servers/statements.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { testedEngines } from '#support/test-tier.ts'
import { maxRepeats } from '#server/features/session/refresh.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const contactBody = { msisdn: phone, email: '' }
const expired = { kind: 'failed', status: 400, failure: { statusCode: 2, reason: 'code-expired' } }

async function start(settings: Parameters<typeof startTestServer>[0] = {}) {
  server = await startTestServer({ offices: 'none', ...settings })
  const browser = openBrowser(server)
  bodyOf(await browser.call('auth', { body: contactBody }))
  return { browser, otp: await server.outbox.codeFor(phone) }
}

/** Signs in; the connection loses the whole response, and so the new cookie too. Returns the lost token and cookie. */
async function signInUnheard(browser: TestBrowser, otp: string) {
  const before = new Map(browser.cookies)
  const { token } = bodyOf(await browser.call('login', { body: { ...contactBody, otp } })).data
  const cookie = browser.cookies.get(refreshCookie) ?? ''
  browser.cookies.clear()
  for (const [name, value] of before) browser.cookies.set(name, value)
  return { token, cookie }
}

function repeat(browser: TestBrowser, otp: string) {
  return browser.call('login', { body: { ...contactBody, otp } })
}

async function isLive(token: string): Promise<boolean> {
  return (await openBrowser(server, token).call('listApplications')).kind === 'ok'
}

async function refreshWith(cookie: string): Promise<number> {
  const browser = openBrowser(server)
  browser.cookies.set(refreshCookie, cookie)
  return (await browser.call('refreshToken')).status
}

function readSessions() {
  return server.services.db.selectFrom('session').select('id').execute()
}

describe.each(testedEngines)('a sign-in whose answer was lost, on %s', database => {
  it('gives the same session to the same code from the same browser (D21)', async () => {
    const { browser, otp } = await start({ database })
    const lost = await signInUnheard(browser, otp)
    await server.advanceSeconds(59)
    const answer = bodyOf(await repeat(browser, otp)).data
    expect(await readSessions()).toHaveLength(1)
    expect(browser.cookies.get(refreshCookie)).not.toBe(lost.cookie)
    expect(await isLive(answer.token)).toBe(true)
    expect((await browser.call('refreshToken')).kind).toBe('ok')
  })

  it('is repeated five times at most, also when fifty calls arrive at once (D21)', async () => {
    const { browser, otp } = await start({ database })
    await signInUnheard(browser, otp)
    const answers = await Promise.all(Array.from({ length: 50 }, () => repeat(browser, otp)))
    const repeated = answers.filter(answer => answer.kind === 'ok').length
    expect(repeated).toBeGreaterThanOrEqual(1)
    expect(repeated).toBeLessThanOrEqual(maxRepeats)
    expect(await readSessions()).toHaveLength(1)
    const valid = await server.services.db
      .selectFrom('refresh_token')
      .select('hash')
      .where('replaced_at', 'is', null)
      .execute()
    expect(valid).toHaveLength(1)
  })
})

describe('the repetition of a sign-in (D21)', () => {
  it('works after a lost sign-in and four lost repetitions, because a browser sends a request again by itself when the connection breaks', async () => {
    const { browser, otp } = await start()
    await signInUnheard(browser, otp)
    for (let lost = 1; lost < maxRepeats; lost += 1) await signInUnheard(browser, otp)
    const { token } = bodyOf(await repeat(browser, otp)).data
    expect(await readSessions()).toHaveLength(1)
    expect(await isLive(token)).toBe(true)
    expect((await browser.call('refreshToken')).kind).toBe('ok')
  })

  it('is refused after five repetitions, and leaves the session of the last one alone', async () => {
    const { browser, otp } = await start()
    for (let lost = 0; lost <= maxRepeats; lost += 1) bodyOf(await repeat(browser, otp))
    expect(await repeat(browser, otp)).toMatchObject(expired)
    expect((await browser.call('refreshToken')).kind).toBe('ok')
  })

  it('ends the session when a client presents the refresh token of a lost repetition', async () => {
    const { browser, otp } = await start()
    await signInUnheard(browser, otp)
    const second = await signInUnheard(browser, otp)
    const { token } = bodyOf(await repeat(browser, otp)).data
    expect(await refreshWith(second.cookie)).toBe(401)
    expect(await isLive(token)).toBe(false)
  })

  it('is refused after the session of a repetition was refreshed', async () => {
    const { browser, otp } = await start()
    await signInUnheard(browser, otp)
    const second = await signInUnheard(browser, otp)
    expect(await refreshWith(second.cookie)).toBe(200)
    expect(await repeat(browser, otp)).toMatchObject(expired)
  })

  it('keeps the session when the browser has got the cookie, but not the body, of the lost answer', async () => {
    const { browser, otp } = await start()
    bodyOf(await repeat(browser, otp))
    const { token } = bodyOf(await repeat(browser, otp)).data
    expect(await readSessions()).toHaveLength(1)
    expect(await isLive(token)).toBe(true)
    expect((await browser.call('refreshToken')).kind).toBe('ok')
  })

  it('is possible after four wrong codes', async () => {
    const { browser, otp } = await start()
    for (let guess = 0; guess < 4; guess += 1) {
      expect(await repeat(browser, 'guess')).toMatchObject({ failure: { reason: 'code-wrong' } })
      await server.advanceSeconds(10)
    }
    await signInUnheard(browser, otp)
    await signInUnheard(browser, otp)
    expect((await repeat(browser, otp)).kind).toBe('ok')
  })

  it('replaces the lost refresh token, and a client that presents it ends the session', async () => {
    const { browser, otp } = await start()
    const lost = await signInUnheard(browser, otp)
    const { token } = bodyOf(await repeat(browser, otp)).data
    expect(await refreshWith(lost.cookie)).toBe(401)
    expect(await isLive(token)).toBe(false)
    expect((await browser.call('refreshToken')).status).toBe(401)
  })

  it('gives a session that the log-out ends for both answers', async () => {
    const { browser, otp } = await start()
    const lost = await signInUnheard(browser, otp)
    const { token } = bodyOf(await repeat(browser, otp)).data
    await browser.call('logout')
    expect(await isLive(token)).toBe(false)
    expect(await isLive(lost.token)).toBe(false)
    expect(await repeat(browser, otp)).toMatchObject(expired)
  })

  it('is refused after 60 s', async () => {
    const { browser, otp } = await start({ env: { OTP_TTL_SECONDS: '300' } })
    await signInUnheard(browser, otp)
    await server.advanceSeconds(61)
    expect(await repeat(browser, otp)).toMatchObject(expired)
  })

  it('is refused after the session was logged out', async () => {
    const { browser, otp } = await start()
    const lost = await signInUnheard(browser, otp)
    const tab = openBrowser(server)
    tab.cookies.set(refreshCookie, lost.cookie)
    await tab.call('logout')
    expect(await repeat(browser, otp)).toMatchObject(expired)
    expect(await isLive(lost.token)).toBe(false)
  })

  it('is refused after the session was refreshed, and leaves that session alone', async () => {
    const { browser, otp } = await start()
    const lost = await signInUnheard(browser, otp)
    const tab = openBrowser(server)
    tab.cookies.set(refreshCookie, lost.cookie)
    bodyOf(await tab.call('refreshToken'))
    expect(await repeat(browser, otp)).toMatchObject(expired)
    expect((await tab.call('refreshToken')).kind).toBe('ok')
  })

  it.each([
    ['a read', async (tab: TestBrowser) => bodyOf(await tab.call('listApplications'))],
    [
      'a write',
      async (tab: TestBrowser) => bodyOf(await tab.call('createApplication', { key: crypto.randomUUID() })),
    ],
  ])('is refused after %s used the session, and leaves that session alone', async (_, use) => {
    const { browser, otp } = await start()
    const lost = await signInUnheard(browser, otp)
    await use(openBrowser(server, lost.token))
    expect(await repeat(browser, otp)).toMatchObject(expired)
    expect(await isLive(lost.token)).toBe(true)
    expect(await refreshWith(lost.cookie)).toBe(200)
  })

  it.each([
    ['that is younger than two minutes marks its session as used', 0, ['UpdateQueryNode']],
    ['that is older marks nothing', 121, []],
  ])('the first call of a token %s', async (_, ageSeconds, marks) => {
    const { browser, otp } = await start()
    const { token } = bodyOf(await repeat(browser, otp)).data
    await server.advanceSeconds(ageSeconds)
    const recorded = recordStatements(server)
    bodyOf(await openBrowser(recorded.server, token).call('listApplications'))
    expect(recorded.takeKinds().filter(kind => kind === 'UpdateQueryNode')).toEqual(marks)
  })

  it('is refused in another browser and for another number', async () => {
    const { browser, otp } = await start()
    await signInUnheard(browser, otp)
    expect(await repeat(openBrowser(server), otp)).toMatchObject(expired)
    const other = { msisdn: '237670000002', email: '', otp }
    expect(await browser.call('login', { body: other })).toMatchObject(expired)
    expect((await repeat(browser, otp)).kind).toBe('ok')
  })

  it('counts wrong codes, and is refused after five of them', async () => {
    const { browser, otp } = await start()
    await signInUnheard(browser, otp)
    const wrong = otp === '000000' ? '000001' : '000000'
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await repeat(browser, wrong)).toMatchObject(expired)
      await server.advanceSeconds(10)
    }
    expect(await repeat(browser, otp)).toMatchObject(expired)
  })

  it('is refused after the applicant requested a later code', async () => {
    const { browser, otp } = await start({ env: { OTP_TTL_SECONDS: '300' } })
    await signInUnheard(browser, otp)
    await server.services.db
      .updateTable('one_time_code')
      .set({ sent_at: new Date(0) })
      .execute()
    bodyOf(await browser.call('auth', { body: contactBody }))
    const later = await server.outbox.codeFor(phone)
    expect((await repeat(browser, otp)).kind).toBe('failed')
    expect((await repeat(browser, later)).kind).toBe('ok')
  })

  it('does not add the contact of a code that signed in', async () => {
    const { browser, otp } = await start()
    const { token } = await signInUnheard(browser, otp)
    const tab = openBrowser(server, token)
    for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
    expect(await tab.call('confirmContact', { body: { ...contactBody, otp } })).toMatchObject(expired)
  })
})
