import { afterEach, describe, expect, it } from 'vitest'
import { endKioskFeature } from '#contract/endpoints.ts'
import { bodyOf, openBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const kioskCode = 'bureau-7431'

async function start(env: Record<string, string> = { KIOSK_CODE: kioskCode }): Promise<void> {
  server = await startTestServer({ offices: 'none', env: { TRUSTED_PROXIES: 'loopback', ...env } })
}

function end(code: string, from = '41.202.1.1') {
  return openBrowser(server).call('endKiosk', { body: { code }, headers: { 'x-forwarded-for': from } })
}

async function hasFeature(): Promise<boolean> {
  return bodyOf(await openBrowser(server).call('version')).data.features.includes(endKioskFeature)
}

describe('the end of the kiosk mode (OFF18, D38)', () => {
  it('needs the code of the office', async () => {
    await start()
    expect(await hasFeature()).toBe(true)
    expect(await end('bureau-7432')).toMatchObject({ status: 409, failure: { reason: 'kiosk-code-wrong' } })
    expect((await end('')).status).toBe(409)
    expect((await end(` ${kioskCode} `)).status).toBe(200)
  })

  it('is not offered by a server without `KIOSK_CODE`', async () => {
    await start({})
    expect(await hasFeature()).toBe(false)
    expect((await end('')).status).toBe(404)
  })

  it('allows an address ten wrong codes, then one a minute; right codes do not count and do not reset the count', async () => {
    await start()
    for (let tried = 0; tried < 10; tried += 1) {
      expect((await end(kioskCode)).status).toBe(200)
      expect((await end('wrong-code')).status).toBe(409)
    }
    const refused = await end(kioskCode)
    expect(refused).toMatchObject({
      status: 429,
      failure: { reason: 'too-many-requests', message: expect.stringMatching(/dans \d\d\ss\.$/) },
    })
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    server.clock.advanceSeconds(60)
    expect((await end(kioskCode)).status).toBe(200)
    expect((await end('wrong-code')).status).toBe(409)
    expect((await end('wrong-code')).status).toBe(429)
  })

  it('counts the addresses of an IPv6 /64 as one', async () => {
    await start()
    for (let tried = 0; tried < 10; tried += 1)
      expect((await end('wrong-code', `2001:db8:0:1::${tried}`)).status).toBe(409)
    expect((await end(kioskCode, '2001:db8:0:1::a')).status).toBe(429)
    expect((await end(kioskCode, '2001:db8:0:2::1')).status).toBe(200)
  })

  it('stays possible for an office after seventy wrong codes from other networks (D69)', async () => {
    await start()
    for (let tried = 0; tried < 70; tried += 1) await end('wrong-code', `41.203.${tried}.1`)
    expect((await end(kioskCode)).status).toBe(200)
  })

  it('allows sixty wrong codes from a /24', async () => {
    await start()
    const statuses = []
    for (let tried = 0; tried < 70; tried += 1)
      statuses.push((await end('wrong-code', `41.202.2.${tried}`)).status)
    expect(statuses.filter(status => status === 409)).toHaveLength(60)
  })
})
