import { afterEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const publicDemo = { PUBLIC_ORIGIN: 'https://demo.example.cm' }
const behindProxy = { TRUSTED_PROXIES: 'loopback' }

/** Addresses at which the demo is opened. `secure`: whether its cookies get the prefix and `Secure`. */
const cases: [
  address: string,
  env: Record<string, string>,
  headers: Record<string, string>,
  secure: boolean,
][] = [
  ['http://localhost', {}, { host: 'localhost:8080' }, false],
  ['http://LOCALHOST', {}, { host: 'LOCALHOST:8080' }, false],
  ['http://portal.localhost', {}, { host: 'portal.localhost:8080' }, false],
  ['http://127.0.0.1', {}, { host: '127.0.0.1:8080' }, false],
  ['http://[::1]', {}, { host: '[::1]:8080' }, false],
  ['http://192.168.1.20, which is not the own machine', {}, { host: '192.168.1.20:8080' }, true],
  ['http://localhost.example.cm, which only begins so', {}, { host: 'localhost.example.cm' }, true],
  ['a public demo', publicDemo, { host: 'demo.example.cm' }, true],
  ['a public demo, by another host header', publicDemo, { host: 'localhost:8080' }, true],
  [
    'https://localhost behind a proxy',
    behindProxy,
    { host: 'localhost', 'x-forwarded-proto': 'https' },
    true,
  ],
  [
    'https, claimed by a proxy that is not trusted',
    {},
    { host: 'localhost', 'x-forwarded-proto': 'https' },
    false,
  ],
]

describe('the cookies of the demo', () => {
  it.each(cases)('depend on the address: %s (D65)', async (_, env, headers, secure) => {
    server = await startTestServer({ env })
    const cookie = await browserCookie(headers)
    const name = secure ? '__Host-browser' : 'browser'
    expect(cookie).toMatchObject({ name, httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(cookie?.secure === true).toBe(secure)
  })

  it('are read by the name under which they were set (D65)', async () => {
    server = await startTestServer()
    const headers = { host: 'localhost:8080' }
    const first = await browserCookie(headers)
    const again = await browserCookie({ ...headers, cookie: `browser=${first?.value}` })
    expect(again?.value).toBe(first?.value)
    const foreign = await browserCookie({ ...headers, cookie: `__Host-browser=${first?.value}` })
    expect(foreign?.value).not.toBe(first?.value)
  })
})

describe('the cookies in production', () => {
  it.each(['localhost:8080', '127.0.0.1', 'passeport.example.cm'])(
    'keep their prefix and Secure when the host header says %s (D65)',
    async host => {
      server = await startTestServer()
      // Only the profile is changed: a complete production configuration needs gateways.
      Object.assign(server.services.config, { profile: 'production' })
      expect(await browserCookie({ host })).toMatchObject({ name: '__Host-browser', secure: true })
    },
  )
})

async function browserCookie(headers: Record<string, string>) {
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/v1/auth',
    payload: { msisdn: '', email: 'awa@example.cm' },
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
  })
  return answer.cookies.find(cookie => cookie.name.endsWith('browser'))
}
