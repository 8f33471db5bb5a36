import { once } from 'node:events'
import { createConnection } from 'node:net'
import fastifyCookie from '@fastify/cookie'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints, type EndpointName } from '#contract/endpoints.ts'
import { createPaymentWaits } from '#server/features/payments/payment-waits.ts'
import { paymentProviders } from '#server/features/payments/providers.ts'
import { release } from '#server/config/asset-path.ts'
import { registerEndpoints } from '#server/http/register-endpoints.ts'
import { createApp } from '#server/start/app.ts'
import { createCalls } from '#server/start/handlers.ts'
import { bodyOf, openBrowser, signIn, signInDirectly, type SignedIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
let applicant: SignedIn
beforeAll(async () => {
  server = await startTestServer()
  applicant = await signIn(server)
})
afterAll(() => server.close())

const host = 'localhost:8080'
const json = { host, 'content-type': 'application/json' }
const names = Object.keys(endpoints).filter((name): name is EndpointName => name in endpoints)

describe('the access of a call', () => {
  it.each(names.filter(name => endpoints[name].access === 'applicant'))(
    '%s answers 401 without a token',
    async name => {
      const id = crypto.randomUUID()
      const parts = { params: { id, officeId: '1', countryId: '1', file: 'x.pdf' } } as object
      const answer = await openBrowser(server).call(name, parts)
      expect(answer).toMatchObject({
        kind: 'failed',
        status: 401,
        failure: { statusCode: 401, reason: 'not-signed-in' },
      })
    },
  )

  it.each(names.filter(name => endpoints[name].access === 'open'))(
    '%s does not answer 401 when the token is invalid (SES02)',
    async name => {
      const { method, path } = endpoints[name]
      const response = await server.app.inject({
        method,
        url: `/api/v1${path}`,
        headers: { ...(method === 'POST' ? json : { host }), authorization: 'Bearer not.a.token' },
      })
      expect(response.statusCode).not.toBe(401)
    },
  )
})

describe('an answer', () => {
  it('has the fields of the contract only, also when a handler returns more (ASVS 15.3.1)', async () => {
    const { services } = server
    const waits = createPaymentWaits(undefined)
    const calls = createCalls(services, paymentProviders(services), waits)
    const app = Fastify().register(fastifyCookie)
    registerEndpoints(app, services, { ...calls, handlers: { ...calls.handlers, version: answerTooMuch } })
    const answer = await app.inject({ url: '/api/v1/version', headers: { host } })
    expect(answer.json()).toEqual({ data: { version: release, features: [] } })
    await app.close()
    await waits.close()
  })
})

describe('a request', () => {
  it('is 422 and names each field with a wrong type', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/v1/login?lg=en',
      headers: json,
      payload: { msisdn: 5, email: 'a@b.cm', otp: ['1'] },
    })
    expect(response.statusCode).toBe(422)
    expect(response.json()).toMatchObject({
      statusCode: 422,
      reason: 'invalid',
      message: 'Some fields are not valid.',
      errors: [
        { field: 'msisdn', message: 'not-valid' },
        { field: 'otp', message: 'not-valid' },
      ],
    })
  })

  it.each([
    ['a parameter given twice', '/api/v1/dictionary/departments?region=AD&region=CE', 'region'],
    ['a text that cannot be an id', '/api/v1/applications/..%2f..%2fetc/data', 'id'],
  ])('is 422 and names the field for %s', async (_, url, field) => {
    const response = await server.app.inject({
      url,
      headers: { host, authorization: `Bearer ${applicant.token}` },
    })
    expect(response.statusCode).toBe(422)
    expect(response.json()).toMatchObject({ errors: [{ field }] })
  })

  it.each([
    ['fr', 200],
    ['en', 200],
    ['de', 422],
    ['FR', 422],
  ])('with lg=%s answers %i (DIC08)', async (language, status) => {
    const response = await server.app.inject({
      url: `/api/v1/applications/countries?lg=${language}`,
      headers: { host, authorization: `Bearer ${applicant.token}` },
    })
    expect(response.statusCode).toBe(status)
    if (status === 422) expect(response.json()).toMatchObject({ errors: [{ field: 'lg' }] })
  })

  it('may have unknown keys and keys that would change a prototype, without effect', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/v1/auth',
      headers: json,
      payload:
        '{"msisdn":"237670000077","email":"","admin":true,"__proto__":{"x":1},"constructor":{"prototype":{}}}',
    })
    expect(response.json()).toEqual({ data: { statusCode: 0 } })
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it.each([
    ['half of a JSON text', '{"msisdn":'],
    ['a list', '[1]'],
    ['a lone text', '"hello"'],
    ['a number', '12'],
  ])('is 422 when it is %s', async (_, payload) => {
    const response = await server.app.inject({ method: 'POST', url: '/api/v1/auth', headers: json, payload })
    expect(response.statusCode).toBe(422)
    expect(response.json()).toMatchObject({ statusCode: 422, reason: 'invalid' })
  })

  it.each([
    ['lists', '[', ']', 3_000],
    ['objects', '{"a":', '}', 3_000],
    ['lists', '[', ']', 30_000],
    ['objects', '{"a":', '}', 8_000],
  ])(
    'is 422 with thousands of nested %s, with and without an idempotency key',
    async (_, open, close, levels) => {
      const { id } = bodyOf(await applicant.call('createApplication')).data
      const nested = `${open.repeat(levels)}1${close.repeat(levels)}`
      const signedIn = { ...json, authorization: `Bearer ${applicant.token}` }
      const calls = [
        ['/api/v1/auth', `{"msisdn":${nested},"email":""}`],
        [`/api/v1/applications/${id}/data`, `{"surname":${nested}}`],
      ] as const
      for (const headers of [signedIn, { ...signedIn, 'idempotency-key': crypto.randomUUID() }])
        for (const [url, payload] of calls)
          expect(await server.app.inject({ method: 'POST', url, headers, payload })).toMatchObject({
            statusCode: 422,
          })
    },
  )

  it('may have brackets in its texts', async () => {
    const payload = JSON.stringify({ msisdn: '237670000078', email: '', extra: '"[{\\['.repeat(60) })
    const answer = await server.app.inject({ method: 'POST', url: '/api/v1/auth', headers: json, payload })
    expect(answer.json()).toEqual({ data: { statusCode: 0 } })
  })

  it('is read up to 64 KiB, and 413 above', async () => {
    // The server has read the body, which names no contact.
    expect((await sendSized(64 * 1024)).statusCode).toBe(400)
    const over = await sendSized(64 * 1024 + 1)
    expect(over.statusCode).toBe(413)
    expect(over.json()).toMatchObject({ statusCode: 413, reason: 'too-large' })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('is 415 when it is %s', async type => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/v1/auth',
      headers: { host, 'content-type': type },
      payload: 'msisdn=237670000001',
    })
    expect(response.statusCode).toBe(415)
    expect(response.json()).toMatchObject({ statusCode: 415, reason: 'unsupported-type' })
  })

  it('can be a plain form when it asks for a receipt: then 404, not 415, for an unknown application (API13)', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: `/api/v1/applications/${crypto.randomUUID()}/get-pdf/v2/1.pdf`,
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `token=${applicant.token}`,
    })
    expect(response.statusCode).toBe(404)
  })

  it('can have an empty body when no field is required', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/v1/applications',
      headers: {
        ...json,
        authorization: `Bearer ${(await signInDirectly(server)).token}`,
      },
    })
    expect(response.statusCode).toBe(200)
  })

  it('is 403 when it is a POST from a page of another site', async () => {
    const answer = await openBrowser(server).call('auth', {
      body: { msisdn: '237670000001', email: '' },
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(answer).toMatchObject({ kind: 'failed', status: 403 })
  })
})

describe('an answer', () => {
  it('is in the requested language, French by default', async () => {
    const french = await openBrowser(server).call('refreshToken')
    expect(french).toMatchObject({ kind: 'failed', failure: { message: 'Veuillez vous connecter.' } })
    const english = await server.app.inject({ url: '/api/v1/applications?lg=en', headers: { host } })
    expect(english.json()).toMatchObject({ message: 'Please sign in.' })
  })

  it.each(['/api/v1/nothing', '/api', '/api/v2/version', '/api/v1/version/more', '/api/v1/%'])(
    'is a 404 in JSON at %s',
    async url => {
      const response = await server.app.inject({ url, headers: { host } })
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ statusCode: 404, reason: 'not-found' })
    },
  )

  it('of the call "version" contains the version and the time (API06)', async () => {
    const { version, time, features } = bodyOf(await openBrowser(server).call('version')).data
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(features).toEqual(
      expect.arrayContaining(['drafts', 'idempotency', 'draftKey', 'contacts', 'watch']),
    )
    expect(Math.abs(Date.parse(time ?? '') - server.clock.now().getTime())).toBeLessThan(5_000)
  })

  it('is 500 without details when the server fails, and the error is logged once', async () => {
    const broken = await startTestServer()
    const { token } = await signIn(broken)
    await sql`drop table application cascade`.execute(broken.services.db)
    const answer = await openBrowser(broken, token).call('listApplications')
    expect(answer).toMatchObject({
      kind: 'failed',
      status: 500,
      failure: { statusCode: 500, reason: 'unexpected' },
    })
    expect(JSON.stringify(answer)).not.toMatch(/relation|select|stack/i)
    expect(broken.warnings).toHaveLength(1)
    await broken.close()
  })
})

describe('a server that closes (D6)', () => {
  it('answers the requests of an open connection, one begun before and one sent after, and then closes it', async () => {
    const app = createApp(server.services)
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const connection = createConnection(Number(port), '127.0.0.1')
    let answers = ''
    connection.on('data', chunk => (answers += chunk.toString()))
    const [begun, ended] = [once(app.server, 'request'), once(connection, 'close')]
    const head = `host: ${host}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n`
    connection.write(`POST /api/v1/refresh-token HTTP/1.1\r\n${head}content-length: 2\r\n\r\n{`)
    await begun
    const stopped = app.close()
    await expect.poll(() => app.server.listening, { timeout: 30_000 }).toBe(false)
    connection.write(`}GET /api/v1/version HTTP/1.1\r\n${head}\r\n`)
    await ended
    const [, first = '', second = ''] = answers.split('HTTP/1.1 ')
    expect(first).toMatch(/^401 /)
    expect(second).toMatch(/^200 OK\r\n/)
    expect(second).toMatch(/\r\nconnection: close\r\n/i)
    await stopped
  })
})

function sendSized(size: number) {
  const frame = JSON.stringify({ msisdn: '', email: '', more: '' })
  return server.app.inject({
    method: 'POST',
    url: '/api/v1/auth',
    headers: json,
    payload: frame.replace('"more":""', `"more":"${'x'.repeat(size - frame.length)}"`),
  })
}

/** Returns a field that the contract of `/version` does not have. */
async function answerTooMuch() {
  return { data: { version: release, features: [], secret: 'of the service' } }
}
