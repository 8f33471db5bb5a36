import { afterEach, describe, expect, it } from 'vitest'
import { type Answered, openBrowser, signIn, type TestBrowser } from '#support/client.ts'
import { startTestServer, type TestServer } from '#support/server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

async function ask(browser: TestBrowser = openBrowser(server), msisdn = phone): Promise<number | null> {
  return codeOf(await browser.call('auth', { body: { msisdn, email: '' } }))
}

function codeOf(answer: Answered<'auth'>): number | null {
  return answer.kind === 'ok' ? answer.body.data.statusCode : answer.failure.statusCode
}

async function sentCodes(): Promise<number> {
  return (await server.outbox.messages()).length
}

describe('codes for one number or address', () => {
  it('are a minute apart', async () => {
    server = await startTestServer()
    expect(await ask()).toBe(0)
    expect(await ask()).toBe(9)
    await server.passTime(58)
    expect(await ask()).toBe(9)
    await server.passTime(3)
    expect(await ask()).toBe(0)
    expect(await sentCodes()).toBe(2)
  })

  it('are one, when twenty are asked for at once', async () => {
    server = await startTestServer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(answers.filter(answer => answer === 0)).toHaveLength(1)
    expect(await sentCodes()).toBe(1)
  })

  it('need not be a minute apart when the last one was used: who leaves may come back', async () => {
    server = await startTestServer()
    await signIn(server, { phone })
    expect(await ask()).toBe(0)
  })

  it('are five an hour', async () => {
    server = await startTestServer()
    for (let sent = 0; sent < 5; sent += 1) {
      expect(await ask()).toBe(0)
      await server.passTime(61)
    }
    expect(await ask()).toBe(9)
    await server.passTime(3_600 - 5 * 61 + 1)
    expect(await ask()).toBe(0)
  })

  it('are ten a day', async () => {
    server = await startTestServer()
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await ask()).toBe(0)
      await server.passTime(1_000)
    }
    expect(await ask()).toBe(9)
    expect(await ask(openBrowser(server), '237670000002')).toBe(0)
    await server.passTime(86_400)
    expect(await ask()).toBe(0)
  })

  it('are counted over all browsers', async () => {
    server = await startTestServer()
    expect(await ask(openBrowser(server))).toBe(0)
    expect(await ask(openBrowser(server))).toBe(9)
  })
})

describe('codes by SMS', () => {
  it('stop when the budget of their country code is spent, and those of others do not', async () => {
    server = await startTestServer({ env: { SMS_BUDGET_ABROAD: '2', SMS_BUDGET_HOME: '1' } })
    expect(await ask(undefined, '33612345601')).toBe(0)
    expect(await ask(undefined, '33612345602')).toBe(0)
    expect(await ask(undefined, '33612345603')).toBe(503)
    expect(await ask(undefined, '4915112345601')).toBe(0)
    expect(await ask(undefined, phone)).toBe(0)
    expect(await ask(undefined, '237670000002')).toBe(503)
    expect(server.complaints.map(each => each.message)).toEqual(
      Array(2).fill('the SMS budget of the day is spent'),
    )
    expect(JSON.stringify(server.complaints)).not.toContain('33612345603')
  })
})

describe('a busy network', () => {
  it('is asked for a captcha from its limit on, and never refused', async () => {
    server = await startTestServer({
      env: { CAPTCHA: 'altcha', NETWORK_CODES_PER_HOUR: '2', TRUSTED_PROXIES: 'loopback' },
    })
    const from = (address: string, msisdn: string) =>
      openBrowser(server)
        .call('auth', { body: { msisdn, email: '' }, headers: { 'x-forwarded-for': address } })
        .then(codeOf)
    expect(await from('41.202.1.1', '237670000001')).toBe(0)
    expect(await from('41.202.1.1', '237670000002')).toBe(0)
    expect(await from('41.202.1.1', '237670000003')).toBe(11)
    expect(await from('41.202.1.2', '237670000003')).toBe(0)
    expect(await from('2001:db8:1:1::1', '237670000004')).toBe(0)
    expect(await from('2001:db8:1:1::2', '237670000005')).toBe(0)
    expect(await from('2001:db8:1:1:ffff::3', '237670000006')).toBe(11)
    await server.passTime(3_601)
    expect(await from('41.202.1.1', '237670000003')).toBe(0)
  })

  it('is not what a client says in X-Forwarded-For without a trusted proxy', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'altcha', NETWORK_CODES_PER_HOUR: '1' } })
    const app = server.app
    const from = async (remoteAddress: string, said: string, msisdn: string) => {
      const response = await app.inject({
        method: 'POST',
        url: '/api/v1/auth',
        remoteAddress,
        headers: { 'x-forwarded-for': said },
        payload: { msisdn, email: '' },
      })
      return response.json<{ data: { statusCode: number } }>().data.statusCode
    }
    expect(await from('41.202.1.1', '10.0.0.1', '237670000001')).toBe(0)
    expect(await from('41.202.1.1', '10.0.0.2', '237670000002')).toBe(11)
  })
})
