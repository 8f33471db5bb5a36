import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ offices: 'none' })
})
afterAll(() => server?.close())

describe('all calls of one applicant (D69, ASVS 2.4.1)', () => {
  it('are refused after 600 at once, those of others are not, and later they are answered again', async () => {
    const applicant = await signInDirectly(server)
    for (let count = 0; count < 600; count += 1)
      expect((await applicant.call('listPaymentMethods')).status).toBe(200)
    expect(await applicant.call('createApplication')).toMatchObject({
      kind: 'failed',
      status: 429,
      headers: { 'retry-after': '1' },
      failure: { reason: 'too-many-requests' },
    })
    const other = await signInDirectly(server, { phone: '237671234568' })
    expect((await other.call('listPaymentMethods')).status).toBe(200)
    await server.advanceSeconds(1)
    expect((await applicant.call('createApplication')).status).toBe(200)
  })
})
