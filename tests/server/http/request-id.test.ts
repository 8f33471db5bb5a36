import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { incidentCode } from '#contract/codes.ts'
import { createApp } from '#server/start/app.ts'
import { loggerSettings } from '#server/monitoring/logger.ts'
import type { Services } from '#server/calls/services.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer | undefined
/** A second app on the database of `server`. */
let app: ReturnType<typeof createApp> | undefined

afterEach(async () => {
  await app?.close()
  app = undefined
  await server?.close()
  server = undefined
})

const sentId = '5f1c0b6e9a3d4c7f8e2b1a0d9c8b7a65'

async function idOf(id: string, env: Record<string, string> = {}): Promise<unknown> {
  server = await startTestServer({ offices: 'none', env })
  const answer = await server.app.inject({ url: '/health', headers: { 'x-request-id': id } })
  return answer.headers['x-request-id']
}

describe('the id of a request (D93)', () => {
  it('is that of the proxy when the server trusts a proxy', async () => {
    expect(await idOf(sentId, { TRUSTED_PROXIES: 'loopback' })).toBe(sentId)
  })

  it.each([
    ['237671234567', { TRUSTED_PROXIES: 'loopback' }],
    ['2376712345672376712345', { TRUSTED_PROXIES: 'loopback' }],
    ['a b c d e f g h i j k', { TRUSTED_PROXIES: 'loopback' }],
    [sentId, {}],
  ])('is a new one instead of %j with %j', async (id, env) => {
    expect(await idOf(id, env)).toMatch(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/)
  })

  it('is in each log line of a request that failed, with the host and the process; the answer has the code of the incident (ERR30)', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    server = await startTestServer({ offices: 'none' })
    const services: Services = { ...server.services, logger: pino(loggerSettings('info'), sink) }
    app = createApp(services)
    await sql`alter table challenge rename to gone`.execute(services.db)
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/auth',
      payload: { msisdn: '237671234567', email: '' },
    })
    await sql`alter table gone rename to challenge`.execute(services.db)
    expect(answer.statusCode).toBe(500)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        request: answer.headers['x-request-id'],
        host: expect.any(String),
        process: process.pid,
      })
    const { incident } = answer.json().data
    expect(incident).toMatch(incidentCode)
    expect(lines.map(line => JSON.parse(line)).filter(each => each.incident === incident)).toHaveLength(1)
  })
})

describe('/ready on PostgreSQL (D6)', () => {
  it('answers 503 when the database accepts no writes, while /health answers 200', async () => {
    server = await startTestServer({ database: 'postgresql', offices: 'none' })
    expect((await server.app.inject('/ready')).statusCode).toBe(200)
    await sql`do $$ begin
      execute format('alter database %I set default_transaction_read_only = on', current_database());
    end $$`.execute(server.services.db)
    // For a second, the first app answers with its last probe.
    app = createApp(server.services, { probe: server.probe })
    expect((await app.inject('/ready')).statusCode).toBe(503)
    expect((await app.inject('/health')).statusCode).toBe(200)
  })
})
