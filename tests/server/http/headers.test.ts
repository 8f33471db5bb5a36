import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#support/server.ts'

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
  ['a refusal', 'GET', '/api/v1/applications'],
  ['an unknown call', 'GET', '/api/v1/nothing'],
  ['a body that is refused', 'POST', '/api/v1/auth'],
  ['a return from paying', 'POST', '/payResult/a/b/c'],
  ['the health', 'GET', '/health'],
] as const

describe('every kind of answer', () => {
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
    if (url.startsWith('/api')) expect(headers['cache-control']).toBe('no-store')
  })

  it('asks for HTTPS from now on where the portal has an https address', async () => {
    const { headers } = await secure.app.inject('/api/v1/version')
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  })
})

describe('files of the portal', () => {
  it.each([
    ['/', 'no-cache'],
    ['/form/a/b/Person', 'no-cache'],
    ['/index.html', 'no-cache'],
    ['/sw.js', 'no-cache'],
    ['/manifest.webmanifest', 'no-cache'],
    ['/assets/main-abc.js', 'public, max-age=31536000, immutable'],
  ])('%s may be kept: %s', async (url, kept) => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe(kept)
  })

  it('go out compressed to whoever can read that', async () => {
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
  ])('%s is 404, never the page', async url => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(404)
    expect(response.body).not.toContain('<title>')
  })

  it.each(['/payment/a/b', '/mobile', '/no/such/screen'])('%s is the page', async url => {
    const response = await server.app.inject(url)
    expect(response.statusCode).toBe(200)
    expect(response.body).toContain('<title>portal')
  })

  it('a return from paying by POST becomes a GET of the same page, without its query', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/payResult/a/b/c?status=ACCEPTED',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'transaction=1',
    })
    expect(response.statusCode).toBe(303)
    expect(response.headers.location).toBe('/payResult/a/b/c')
  })

  it('a POST elsewhere is 404', async () => {
    expect((await server.app.inject({ method: 'POST', url: '/mobile' })).statusCode).toBe(404)
  })
})

describe('the health', () => {
  it('is ok while the database answers', async () => {
    const response = await server.app.inject('/health')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ status: 'ok' })
  })

  it('is 503 when the database is gone', async () => {
    const gone = await startTestServer()
    await gone.services.db.destroy()
    expect((await gone.app.inject('/health')).statusCode).toBe(503)
    await gone.app.close()
  })
})
