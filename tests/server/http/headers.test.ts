import { createHash } from 'node:crypto'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js'
import { Severity } from 'csp_evaluator/dist/finding.js'
import { CspParser } from 'csp_evaluator/dist/parser.js'
import { answerMarkHeader, answerNonceHeader } from '#contract/codes.ts'
import { endpoints } from '#contract/endpoints.ts'
import { readConfig } from '#server/config/config.ts'
import { contentSecurityPolicy } from '#server/http/headers.ts'
import { inlineHashes } from '#server/http/prerendered-pages.ts'
import { configOf } from '#support/servers/services-on.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let secure: TestServer
let root: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'client-'))
  mkdirSync(join(root, 'assets'))
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>portal</title>')
  writeFileSync(join(root, 'sw.js'), 'self')
  writeFileSync(join(root, 'manifest.webmanifest'), '{}')
  writeFileSync(join(root, 'assets', 'main-abc.js'), 'main')
  writeFileSync(join(root, 'assets', 'main-abc.js.br'), brotliCompressSync('main'))
  server = await startTestServer({ staticRoot: root })
  secure = await startTestServer({ env: { PUBLIC_ORIGIN: 'https://passeport.example.cm' } })
})
afterAll(async () => {
  await server.close()
  await secure.close()
  rmSync(root, { recursive: true })
})

const kinds = [
  ['a page', 'GET', '/'],
  ['a page of the portal', 'GET', '/form/a/b/Person'],
  ['a file', 'GET', '/assets/main-abc.js'],
  ['a missing file', 'GET', '/assets/gone-abc.js'],
  ['an answer', 'GET', '/api/v1/version'],
  ['an answer at a path with encoded letters', 'GET', '/%61pi/v1/version'],
  ['a refusal', 'GET', '/api/v1/applications'],
  ['an unknown call', 'GET', '/api/v1/nothing'],
  ['a body that is refused', 'POST', '/api/v1/auth'],
  ['a return from paying', 'POST', '/payResult/a/b/c'],
  ['the health', 'GET', '/health'],
] as const

describe('an answer of the API', () => {
  it.each(['/api/v1/version', '/%61pi/v1/version', '/api/v1/nothing'])(
    'carries a mark at %s (D60)',
    async url => {
      expect((await server.app.inject(url)).headers[answerMarkHeader]).toBeDefined()
    },
  )
})

describe('the mark of an answer (D60)', () => {
  it.each([
    ['repeats the nonce of the request', 'AbCd-_12345', / AbCd-_12345$/],
    ['does not repeat a text that is not a nonce', 'a b', /^\S+ \S+ \S+$/],
    ['does not repeat a text that is longer than a nonce', 'AbCd-_123456', /^\S+ \S+ \S+$/],
  ])('%s', async (_, nonce, expected) => {
    const { headers } = await server.app.inject({
      url: '/api/v1/version',
      headers: { [answerNonceHeader]: nonce },
    })
    expect(headers[answerMarkHeader]).toMatch(expected)
  })

  it('has no nonce for a request without one, as of an older portal', async () => {
    const { headers } = await server.app.inject('/api/v1/version')
    expect(headers[answerMarkHeader]).toMatch(/^\S+ \S+ \S+$/)
  })
})

describe('every kind of response', () => {
  it.each(kinds)('%s carries the security headers', async (_, method, url) => {
    const { headers } = await server.app.inject({
      method,
      url,
      headers: { 'content-type': 'text/plain' },
      ...(method === 'POST' ? { payload: 'x' } : {}),
    })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sw-url card-page",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['permissions-policy']).toContain('geolocation=()')
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['server']).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
    expect(headers['access-control-allow-origin']).toBeUndefined()
    if (decodeURI(url).startsWith('/api')) expect(headers['cache-control']).toBe('no-store')
  })

  it('sends HSTS when the public origin is https', async () => {
    const { headers } = await secure.app.inject('/api/v1/version')
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  })
})

describe('every request', () => {
  const requests: {
    url: string
    method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH'
  }[] = [
    ...Object.values(endpoints).flatMap(({ path }) =>
      (['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'] as const).map(method => ({
        url: `/api/v1${path.replaceAll(/:\w+/g, 'x')}`,
        method,
      })),
    ),
    ...[
      '/',
      '/assets/main-abc.js',
      '/gone',
      '/x.png',
      '/health',
      '/%',
      '/%00',
      '//evil.example/x',
      '/..%2f..',
    ].flatMap(url => (['GET', 'POST', 'OPTIONS', 'HEAD'] as const).map(method => ({ url, method }))),
    { url: `/api/v1/${'x'.repeat(9_000)}` },
    { url: `/${'%ff'.repeat(50)}` },
  ]

  it.each([
    ['with an http origin', () => server],
    ['with an https origin', () => secure],
  ])('to a server %s gets every security header and no hint of the software', async (_, of) => {
    for (const { url, method = 'GET' } of requests) {
      for (const payload of method === 'GET' || method === 'HEAD'
        ? [undefined]
        : [undefined, '{', 'x'.repeat(70_000)]) {
        const response = await of().app.inject({
          method,
          url,
          headers: { 'content-type': payload?.startsWith('{') ? 'application/json' : 'text/xml' },
          ...(payload === undefined ? {} : { payload }),
        })
        const { headers, statusCode, body } = response
        const label = `${method} ${url.slice(0, 60)} ${statusCode}`
        expect(statusCode, label).toBeLessThan(500)
        expect(headers, label).toMatchObject({
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'permissions-policy': expect.stringContaining('camera=()'),
        })
        for (const name of ['server', 'x-powered-by', 'access-control-allow-origin'])
          expect(headers[name], `${label} ${name}`).toBeUndefined()
        expect(headers['strict-transport-security'] !== undefined, label).toBe(of() === secure)
        // A proxy may keep a 404 without this header, also of a file that the next release has.
        if (url.startsWith('/api/') || statusCode >= 400)
          expect(headers['cache-control'], label).toBe('no-store')
        expect(body, label).not.toMatch(/fastify|kysely|node_modules|\n\s+at /i)
      }
    }
  })
})

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function seriousFindings(policy: string) {
  return new CspEvaluator(new CspParser(policy).csp)
    .evaluate()
    .filter(({ severity }) => seriousSeverities.includes(severity))
    .map(({ directive, value, description }) => ({ directive, value, description }))
}

describe('the content security policy', () => {
  it.each(['altcha', 'off', 'recaptcha'] as const)('has no serious finding with captcha %s', captcha => {
    expect(seriousFindings(contentSecurityPolicy(configOf({ CAPTCHA: captcha })))).toEqual([])
  })

  it('would have a serious finding if it allowed inline scripts', () => {
    expect(seriousFindings("script-src 'self' 'unsafe-inline'")).not.toEqual([])
  })

  it('allows nothing inline, no eval, and only the named Trusted Types policies', () => {
    const policy = contentSecurityPolicy(configOf())
    expect(policy).not.toMatch(/unsafe|nonce-|sha256|\*|http:|https:/)
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types sw-url card-page")
  })

  it('allows the import map and the styles of the pages by their hashes (D131)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pages-'))
    mkdirSync(join(folder, 'pages/fr'), { recursive: true })
    const page = '<style>p{}</style><script type="importmap">{"imports":{}}</script>'
    writeFileSync(join(folder, 'pages/fr/mobile.html'), page)
    const policy = contentSecurityPolicy(configOf(), inlineHashes(folder))
    rmSync(folder, { recursive: true })
    expect(policy).toContain(`script-src 'self' ${hashOf('{"imports":{}}')};`)
    expect(policy).toContain(`style-src 'self' ${hashOf('p{}')};`)
    expect(seriousFindings(policy)).toEqual([])
  })
})

const gateways = {
  CINETPAY_KEY: 'key',
  CINETPAY_SITE: '1',
  UBA_URL: 'https://api.uba.example/pay',
  UBA_PAGE_URL: 'https://cards.uba.example/page?x=1',
  UBA_MERCHANT: 'm',
  UBA_SECRET: 's',
}

describe('the targets of forms and calls', () => {
  it('allow forms to this server, the enabled card gateways and CARD_ORIGINS (PAY19, S12)', () => {
    expect(contentSecurityPolicy(configOf())).toContain("form-action 'self';")
    expect(contentSecurityPolicy(configOf(gateways))).toContain(
      "form-action 'self' https://secure.cinetpay.com https://cards.uba.example;",
    )
    expect(contentSecurityPolicy(configOf({ CARD_ORIGINS: 'https://3ds.example/a' }))).toContain(
      "form-action 'self' https://3ds.example;",
    )
  })

  it('allow calls to this server and to the API origin of the build', () => {
    expect(contentSecurityPolicy(configOf())).toContain("connect-src 'self';")
    expect(contentSecurityPolicy(configOf({ VITE_API_ORIGIN: 'https://api.example/v1' }))).toContain(
      "connect-src 'self' https://api.example;",
    )
  })

  it('allow the form of the receipt to the API origin of the build (API13, S13)', () => {
    expect(contentSecurityPolicy(configOf({ VITE_API_ORIGIN: 'https://api.example/v1' }))).toContain(
      "form-action 'self' https://api.example;",
    )
  })

  it('allow card forms to the gateways of another back end, which the build names (D67)', () => {
    const VITE_CARD_ORIGINS = 'https://bank.example/pay,https://second.example'
    expect(contentSecurityPolicy(configOf({ VITE_CARD_ORIGINS }))).toContain(
      "form-action 'self' https://bank.example https://second.example;",
    )
  })
})

describe('the configuration of payments', () => {
  it('refuses card pages without https and simulated payments in production (D2)', () => {
    const env = {
      PROFILE: 'production',
      PAYMENT_SIMULATORS: 'on',
      ...gateways,
      UBA_PAGE_URL: 'http://uba.example',
    }
    const read = readConfig(env)
    const faults = read.kind === 'faults' ? read.faults.join(' ') : ''
    expect(faults).toContain('PAYMENT_SIMULATORS must be off')
    expect(faults).toContain('must be https addresses')
  })

  it('refuses a CinetPay key without its site', () => {
    expect(readConfig({ CINETPAY_KEY: 'alone' })).toMatchObject({
      faults: [expect.stringMatching(/^CINETPAY_SITE/)],
    })
  })
})

describe('the files of the portal', () => {
  it.each([
    ['/', 'no-cache'],
    ['/form/a/b/Person', 'no-cache'],
    ['/index.html', 'no-cache'],
    ['/sw.js', 'no-cache'],
    ['/manifest.webmanifest', 'no-cache'],
    ['/assets/main-abc.js', 'public, max-age=31536000, immutable'],
  ])('%s has the cache-control %s', async (url, cacheControl) => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe(cacheControl)
  })

  it('are compressed when the client accepts it', async () => {
    const response = await server.app.inject({
      url: '/assets/main-abc.js',
      headers: { 'accept-encoding': 'br' },
    })
    expect(response.headers['content-encoding']).toBe('br')
    expect(response.headers['content-type']).toContain('javascript')
  })

  it.each([
    '/assets/gone-abc.js',
    '/assets/',
    '/metrics',
    '/gone.png',
    '/.env',
    '/..%2fpackage.json',
    '/assets/..%2f..%2fx.json',
  ])('%s answers 404, not the page', async url => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(404)
    expect(response.body).not.toContain('<title>')
  })

  it.each(['/payment/a/b', '/mobile', '/no/such/screen'])('%s answers the page', async url => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(200)
    expect(response.body).toContain('<title>portal')
  })

  it('redirect a POST to the payment result to a GET without its query', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/payResult/a/b/c?status=ACCEPTED',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'transaction=1',
    })
    expect(response.statusCode).toBe(303)
    expect(response.headers.location).toBe('/payResult/a/b/c')
  })

  it('answer 404 to a POST to another address', async () => {
    expect((await server.app.inject({ method: 'POST', url: '/mobile' })).statusCode).toBe(404)
  })
})

describe('/health and /ready', () => {
  it('answer ok while the database accepts writes (D6)', async () => {
    for (const path of ['/health', '/ready']) {
      const response = await server.app.inject(path)
      expect(response.statusCode).toBe(200)
      expect(response.json()).toEqual({ status: 'ok' })
    }
  })

  it('say that the process is alive but not ready when the database is gone (D6)', async () => {
    // PGlite has one connection, so /ready uses the one that is gone. On PostgreSQL it opens its own.
    const gone = await startTestServer({ database: 'pglite' })
    await gone.services.db.destroy()
    expect((await gone.app.inject('/health')).statusCode).toBe(200)
    expect((await gone.app.inject('/ready')).statusCode).toBe(503)
    await gone.app.close()
  })
})

/** The severities that fail the test; lower ones are advice. */
const seriousSeverities = [Severity.HIGH, Severity.SYNTAX, Severity.MEDIUM, Severity.HIGH_MAYBE]
