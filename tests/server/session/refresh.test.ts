import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, openBrowser, refreshCookie, signIn, type SignedIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const cookieName = refreshCookie

function cookieOf(applicant: SignedIn): string {
  return applicant.cookies.get(cookieName) ?? ''
}

/** Refreshes with the given cookie, as a second tab or a thief does. */
async function refreshWith(cookie: string): Promise<{ status: number; cookie: string | undefined }> {
  const browser = openBrowser(server)
  browser.cookies.set(cookieName, cookie)
  const answer = await browser.call('refreshToken')
  return { status: answer.status, cookie: browser.cookies.get(cookieName) }
}

async function isSessionLive(token: string): Promise<boolean> {
  return (await openBrowser(server, token).call('listApplications')).kind === 'ok'
}

describe('a session', () => {
  it('continues with the cookie alone, and gets a new token and a new cookie (API04, SES05)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    server.clock.advanceSeconds(450)
    const refreshed = bodyOf(await applicant.call('refreshToken')).data
    expect(refreshed.token).not.toBe(applicant.token)
    expect(refreshed.draftKey).toBe(applicant.draftKey)
    expect(cookieOf(applicant)).not.toBe(before)
    expect(await isSessionLive(refreshed.token)).toBe(true)
  })

  it('hides its cookie from scripts, other sites and plain HTTP', async () => {
    server = await startTestServer({ env: { PUBLIC_ORIGIN: 'https://passeport.example.cm' } })
    const applicant = await signIn(server)
    const answer = await applicant.call('refreshToken')
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^__Host-refresh=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  it('keeps its cookie when the clock of the phone is set forward by four weeks (D22)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const answer = await applicant.call('refreshToken')
    const [, seconds] = /Max-Age=(\d+)/.exec(String(answer.headers['set-cookie'])) ?? []
    expect(Number(seconds)).toBeGreaterThan(28 * 86_400)
  })

  it('gives a shared device a cookie that expires when the browser closes (D31)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const own = await applicant.call('refreshToken')
    expect(String(own.headers['set-cookie'])).toMatch(/Max-Age=\d+/)
    const shared = await applicant.call('refreshToken', { headers: { 'x-shared-device': '1' } })
    expect(String(shared.headers['set-cookie'])).toMatch(/refresh=/)
    expect(String(shared.headers['set-cookie'])).not.toMatch(/Max-Age|Expires/)
  })

  it('stores only hashes of its tokens', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const rows = await server.services.db.selectFrom('refresh_token').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(cookieOf(applicant))
  })

  it('gives all tabs that refresh with one cookie at once the same successor, and still accepts the old cookie 9 s later (D22)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    const answers = await Promise.all([refreshWith(before), refreshWith(before), refreshWith(before)])
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(answer => answer.cookie)).size).toBe(1)
    await server.advanceSeconds(9)
    expect((await refreshWith(before)).status).toBe(200)
    expect((await refreshWith(answers[0]?.cookie ?? '')).status).toBe(200)
  })

  it('continues when the responses of two refreshes were lost, also ten minutes later (D22, S82)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    // The server refreshes twice, and both responses are lost.
    const lost = await refreshWith(before)
    await server.advanceSeconds(40)
    const lostAgain = await refreshWith(before)
    await server.advanceSeconds(600)
    const refreshed = bodyOf(await applicant.call('refreshToken')).data
    expect(await isSessionLive(refreshed.token)).toBe(true)
    expect(new Set([before, lost.cookie, lostAgain.cookie, cookieOf(applicant)]).size).toBe(4)
    // Two tabs that refresh at once get the same successor here too.
    expect((await refreshWith(before)).cookie).toBe(cookieOf(applicant))
    expect((await applicant.call('refreshToken')).kind).toBe('ok')
  })

  it('ends when its last refresh was lost and the operator has changed TOKEN_KEY since', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    await refreshWith(before)
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    Object.assign(server.services.secrets, { tokenKey: new Uint8Array(32).fill(7) })
    expect(await refreshWith(before)).toEqual({ status: 401, cookie: undefined })
    const open = server.services.db.selectFrom('session').select('id').where('ended_at', 'is', null)
    expect(await open.execute()).toEqual([])
  })

  it('ends when a client presents an old cookie after its successor was used', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const stolen = cookieOf(applicant)
    await applicant.call('refreshToken')
    const { token } = bodyOf(await applicant.call('refreshToken')).data
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    expect(await refreshWith(stolen)).toEqual({ status: 401, cookie: undefined })
    expect(await isSessionLive(token)).toBe(false)
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends for the applicant and a thief with the old cookie when the applicant refreshes after the thief', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const stolen = cookieOf(applicant)
    bodyOf(await applicant.call('refreshToken'))
    // After the 10 s in which a repeated refresh gets the same successor (D22).
    await server.advanceSeconds(11)
    const thief = openBrowser(server)
    thief.cookies.set(cookieName, stolen)
    const { token } = bodyOf(await thief.call('refreshToken')).data
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
    expect(await isSessionLive(token)).toBe(false)
    expect(await thief.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends when a client presents an expired old cookie, although its successor was never used', async () => {
    server = await startTestServer({ env: { SESSION_IDLE_SECONDS: '1000' } })
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    await server.advanceSeconds(900)
    await applicant.call('refreshToken')
    await server.advanceSeconds(101)
    expect((await refreshWith(before)).status).toBe(401)
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends when a client presents a cookie whose successor was replaced too, however soon', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const first = cookieOf(applicant)
    await applicant.call('refreshToken')
    await applicant.call('refreshToken')
    expect((await refreshWith(first)).status).toBe(401)
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends when no tab refreshes it', async () => {
    server = await startTestServer({ env: { SESSION_IDLE_SECONDS: '1000' } })
    const applicant = await signIn(server)
    await server.advanceSeconds(1_001)
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends after its maximum lifetime, even when it is in use', async () => {
    server = await startTestServer({ env: { SESSION_MAX_SECONDS: '2000' } })
    const applicant = await signIn(server)
    await server.advanceSeconds(1_500)
    bodyOf(await applicant.call('refreshToken'))
    await server.advanceSeconds(501)
    expect(await applicant.call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('allows 120 refreshes without a wait, then answers 429 with Retry-After, and continues later (D69)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    let refreshed = 0
    let answer = await applicant.call('refreshToken')
    for (; answer.status === 200 && refreshed < 200; answer = await applicant.call('refreshToken'))
      refreshed += 1
    expect(answer).toMatchObject({ status: 429, failure: { reason: 'too-many-requests' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    // The slow clock of the test allows a few more on a busy machine.
    expect(refreshed).toBeGreaterThanOrEqual(120)
    expect(refreshed).toBeLessThan(140)
    const rows = await server.services.db.selectFrom('refresh_token').select('hash').execute()
    expect(rows).toHaveLength(refreshed + 1)
    await server.advanceSeconds(10)
    expect((await applicant.call('refreshToken')).status).toBe(200)
  })

  it('is not refreshed with an unknown cookie or without a cookie', async () => {
    server = await startTestServer()
    expect((await refreshWith('made-up')).status).toBe(401)
    expect(await openBrowser(server).call('refreshToken')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it('ends when another applicant signs in in the same browser', async () => {
    server = await startTestServer()
    const first = await signIn(server, { phone: '237670000001' })
    await first.call('auth', { body: { msisdn: '237670000002', email: '' } })
    const otp = await server.outbox.codeFor('237670000002')
    bodyOf(await first.call('login', { body: { msisdn: '237670000002', email: '', otp } }))
    expect(await isSessionLive(first.token)).toBe(false)
  })
})

describe('log-out', () => {
  it('ends access and refresh at once (SES12, API05)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const cookie = cookieOf(applicant)
    const other = await signIn(server, { phone: '237670000002' })
    const answer = await applicant.call('logout')
    expect(answer).toMatchObject({ kind: 'ok', status: 200 })
    expect(answer.headers['clear-site-data']).toBeUndefined()
    expect(applicant.cookies.has(cookieName)).toBe(false)
    expect(await isSessionLive(applicant.token)).toBe(false)
    expect((await refreshWith(cookie)).status).toBe(401)
    expect(await isSessionLive(other.token)).toBe(true)
  })

  it.each([
    ['a page of the portal', {}],
    ['a program', { 'sec-fetch-site': '' }],
  ])('ends the session of the access token when the cookie is lost, for %s (SES12)', async (_, headers) => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const cookie = cookieOf(applicant)
    const other = openBrowser(server)
    const authorization = `Bearer ${applicant.token}`
    const foreign = { authorization, 'sec-fetch-site': 'cross-site' }
    expect((await other.call('logout', { headers: foreign })).status).toBe(403)
    expect((await other.call('logout', { headers: { authorization, ...headers } })).status).toBe(200)
    expect(await isSessionLive(applicant.token)).toBe(false)
    expect((await refreshWith(cookie)).status).toBe(401)
  })

  it('works with the cookie that another tab has just replaced', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const before = cookieOf(applicant)
    const { token } = bodyOf(await applicant.call('refreshToken')).data
    const tab = openBrowser(server)
    tab.cookies.set(cookieName, before)
    await tab.call('logout')
    expect(await isSessionLive(token)).toBe(false)
  })

  it('ends the session of the access token too when the cookie is that of an earlier session', async () => {
    server = await startTestServer()
    const earlier = await signIn(server)
    const applicant = await signIn(server)
    const authorization = `Bearer ${applicant.token}`
    applicant.cookies.set(refreshCookie, cookieOf(earlier))
    expect((await applicant.call('logout', { headers: { authorization } })).status).toBe(200)
    expect((await applicant.call('listApplications')).status).toBe(401)
    expect(await isSessionLive(earlier.token)).toBe(false)
  })

  it('ends the session of the access token when no session has the cookie', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const authorization = `Bearer ${applicant.token}`
    applicant.cookies.set(refreshCookie, 'a-cookie-of-no-session')
    expect((await applicant.call('logout', { headers: { authorization } })).status).toBe(200)
    expect((await applicant.call('listApplications')).status).toBe(401)
  })

  it('succeeds without a session too', async () => {
    server = await startTestServer()
    expect((await openBrowser(server).call('logout')).status).toBe(200)
  })

  it('clears the site data of a shared device', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const answer = await applicant.call('logout', { headers: { 'x-shared-device': '1' } })
    expect(answer.headers['clear-site-data']).toBe('"cache", "cookies", "storage"')
  })
})

describe('refresh and log-out', () => {
  it.each([
    ['a foreign page', { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign page of an old browser', { 'sec-fetch-site': '', origin: 'https://example.org' }],
    ['a request with neither an origin nor an access token', { 'sec-fetch-site': '' }],
  ])('are refused for %s', async (_, headers) => {
    server = await startTestServer()
    const applicant = await signIn(server)
    for (const name of ['refreshToken', 'logout'] as const)
      expect(await applicant.call(name, { headers })).toMatchObject({ kind: 'failed', status: 403 })
    expect(await isSessionLive(applicant.token)).toBe(true)
  })

  it('are allowed for a page of the portal in an old browser', async () => {
    server = await startTestServer()
    const applicant = await signIn(server)
    const headers = { 'sec-fetch-site': '', origin: 'http://localhost:8080' }
    for (const name of ['refreshToken', 'logout'] as const)
      expect((await applicant.call(name, { headers })).status, name).toBe(200)
  })
})

describe('cookies', () => {
  it('keep their prefix for another host header when the portal has an https address', async () => {
    server = await startTestServer({ env: { PUBLIC_ORIGIN: 'https://passeport.example.cm' } })
    const browser = openBrowser(server)
    await browser.call('auth', {
      body: { msisdn: '237670000001', email: '' },
      headers: { host: '192.168.1.20' },
    })
    expect([...browser.cookies.keys()]).toEqual(['__Host-browser'])
  })
})
