import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answered, openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { isFullRun } from '#support/test-tier.ts'
import { solvePuzzle } from '#support/providers/puzzle.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'

async function ask(browser: TestBrowser = openBrowser(server), msisdn = phone): Promise<number | null> {
  return codeOf(await browser.call('auth', { body: { msisdn, email: '' } }))
}

function codeOf(answer: Answered<'auth'>): number | null {
  return answer.kind === 'ok' ? answer.body.data.statusCode : answer.failure.statusCode
}

/** For how many seconds the next code is refused. */
async function secondsLeft(): Promise<unknown> {
  const answer = await openBrowser(server).call('auth', { body: { msisdn: phone, email: '' } })
  const data = answer.kind === 'failed' ? answer.failure.data : undefined
  return typeof data === 'object' && data !== null && 'seconds' in data ? data.seconds : undefined
}

async function sentCodes(): Promise<number> {
  return (await server.outbox.messages()).length
}

/** The database's own clock goes on meanwhile. */
function expectAbout(seconds: unknown, most: number) {
  expect(seconds).toBeLessThanOrEqual(most)
  expect(seconds).toBeGreaterThan(most - 20)
}

describe('codes for one number or address', () => {
  it('are a minute apart', async () => {
    server = await startTestServer()
    expect(await ask()).toBe(0)
    expect(await ask()).toBe(9)
    await server.advanceSeconds(30)
    expectAbout(await secondsLeft(), 30)
    await server.advanceSeconds(28)
    expect(await ask()).toBe(9)
    await server.advanceSeconds(3)
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
      await server.advanceSeconds(61)
    }
    expect(await ask()).toBe(9)
    expectAbout(await secondsLeft(), 3_600 - 5 * 61)
    await server.advanceSeconds(3_600 - 5 * 61 + 1)
    expect(await ask()).toBe(0)
  })

  it('are ten a day', async () => {
    server = await startTestServer()
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await ask()).toBe(0)
      await server.advanceSeconds(1_000)
    }
    expect(await ask()).toBe(9)
    expectAbout(await secondsLeft(), 86_400 - 10_000)
    expect(await ask(openBrowser(server), '237670000002')).toBe(0)
    await server.advanceSeconds(86_400)
    expect(await ask()).toBe(0)
  })

  it('are counted over all browsers', async () => {
    server = await startTestServer()
    expect(await ask(openBrowser(server))).toBe(0)
    expect(await ask(openBrowser(server))).toBe(9)
  })
})

describe('a captcha', () => {
  it('is asked for from the third unused code of an hour on, for this number only, and not after the hour', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'altcha' } })
    expect(await ask()).toBe(0)
    await server.advanceSeconds(61)
    expect(await ask()).toBe(0)
    await server.advanceSeconds(61)
    expect(await ask()).toBe(3)
    expect(await ask(undefined, '237670000002')).toBe(0)
    await server.advanceSeconds(3_600 - 2 * 61)
    expect(await ask()).toBe(0)
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
    expect(
      codeOf(await openBrowser(server).call('auth', { body: { msisdn: '', email: 'awa@example.cm' } })),
    ).toBe(0)
    await server.advanceSeconds(86_401)
    expect(await ask(undefined, '33612345604')).toBe(0)
    const refused = server.warnings.filter(({ level }) => level === 'error')
    expect(refused.map(each => each.message)).toEqual(Array(2).fill('the SMS budget of the day is spent'))
    expect(JSON.stringify(server.warnings)).not.toContain('33612345603')
  })
})

/** Far more than a network gets without a captcha. */
const crowd = isFullRun ? 500 : 100

/** What a network gets an hour before each code needs a captcha. */
const freeCodes = 30

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
    await server.advanceSeconds(3_601)
    expect(await from('41.202.1.1', '237670000003')).toBe(0)
  })

  it.each(['pglite', 'postgresql'] as const)(
    `of ${crowd} applicants lets all of them in, each with a captcha solved (%s)`,
    async database => {
      server = await startTestServer({
        database,
        // So many phones share the work; here one machine does it all.
        env: { CAPTCHA: 'altcha', CAPTCHA_WORK: '10', TRUSTED_PROXIES: 'loopback' },
      })
      const headers = { 'x-forwarded-for': '41.202.7.7' }
      const numbers = Array.from({ length: crowd }, (_, index) => `2376711${String(index).padStart(5, '0')}`)
      const asked = { directly: 0, afterCaptcha: 0 }
      for (let start = 0; start < numbers.length; start += 25) {
        const group = numbers
          .slice(start, start + 25)
          .map(msisdn => ({ msisdn, browser: openBrowser(server) }))
        await Promise.all(
          group.map(async ({ msisdn, browser }) => {
            const body = { msisdn, email: '' }
            const first = codeOf(await browser.call('auth', { body, headers }))
            if (first === 0) return (asked.directly += 1)
            expect(first, inspect(server.warnings)).toBe(11)
            const gRecaptchaResponse = await solvePuzzle(browser)
            expect(
              codeOf(await browser.call('auth', { body: { ...body, gRecaptchaResponse }, headers })),
            ).toBe(0)
            return (asked.afterCaptcha += 1)
          }),
        )
        for (const { msisdn, browser } of group) {
          const otp = await server.outbox.codeFor(msisdn)
          expect((await browser.call('login', { body: { msisdn, email: '', otp }, headers })).kind).toBe('ok')
        }
      }
      expect(asked.directly).toBeGreaterThanOrEqual(freeCodes)
      expect(asked.directly + asked.afterCaptcha).toBe(crowd)
      const rows = await server.services.db.selectFrom('session').select('id').execute()
      expect(rows).toHaveLength(crowd)
      process.stdout.write(`${database}: ${asked.directly} directly, ${asked.afterCaptcha} after a captcha\n`)
    },
  )

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
