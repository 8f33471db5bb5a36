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

/** How hard a puzzle the server demands in this refusal. */
const workOf = (answer: Answered<'auth'>) => Number(detailOf(answer, 'work'))

/** Requests a code, and returns for how many seconds the server refuses it. Undefined when the server sends it. */
async function secondsLeft(browser: TestBrowser = openBrowser(server)): Promise<unknown> {
  return detailOf(await browser.call('auth', { body: { msisdn: phone, email: '' } }), 'seconds')
}

/** A value in the `data` of a refusal. Undefined when the server has sent a code. */
function detailOf(answer: Answered<'auth'>, name: 'seconds' | 'work'): unknown {
  const data = answer.kind === 'failed' ? answer.failure.data : undefined
  return typeof data === 'object' && data !== null ? new Map(Object.entries(data)).get(name) : undefined
}

async function countSentCodes(): Promise<number> {
  return (await server.outbox.messages()).length
}

/** Accepts up to 20 s less, because the clock of the database continues during the test. */
function expectAbout(seconds: unknown, most: number) {
  expect(seconds).toBeLessThanOrEqual(most)
  expect(seconds).toBeGreaterThan(most - 20)
}

describe('the code limits of a contact', () => {
  it('require a minute between two codes', async () => {
    server = await startTestServer()
    expect(await ask()).toBe(0)
    expect(await ask()).toBe(9)
    await server.advanceSeconds(30)
    expectAbout(await secondsLeft(), 30)
    await server.advanceSeconds(28)
    expect(await ask()).toBe(9)
    await server.advanceSeconds(3)
    expect(await ask()).toBe(0)
    expect(await countSentCodes()).toBe(2)
  })

  it('allow one code when twenty browsers ask at once', async () => {
    server = await startTestServer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(answers.filter(answer => answer === 0)).toHaveLength(1)
    expect(await countSentCodes()).toBe(1)
  })

  it('allow the next code at once when the last one was used, so that an applicant can return after a log-out', async () => {
    server = await startTestServer()
    await signIn(server, { phone })
    expect(await ask()).toBe(0)
  })

  it('allow a browser five codes per hour for the same contact (D90)', async () => {
    server = await startTestServer()
    const browser = openBrowser(server)
    for (let sent = 0; sent < 5; sent += 1) {
      expect(await ask(browser)).toBe(0)
      await server.advanceSeconds(61)
    }
    expect(await ask(browser)).toBe(9)
    expectAbout(await secondsLeft(browser), 3_600 - 5 * 61)
    await server.advanceSeconds(3_600 - 5 * 61 + 1)
    expect(await ask(browser)).toBe(0)
  })

  it('allow a browser ten codes per day for the same contact (D90)', async () => {
    server = await startTestServer()
    const browser = openBrowser(server)
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await ask(browser)).toBe(0)
      await server.advanceSeconds(1_000)
    }
    expect(await ask(browser)).toBe(9)
    expectAbout(await secondsLeft(browser), 86_400 - 10_000)
    expect(await ask(browser, '237670000002')).toBe(0)
    await server.advanceSeconds(86_400)
    expect(await ask(browser)).toBe(0)
  })

  it('require the minute also between the codes of two browsers', async () => {
    server = await startTestServer()
    expect(await ask(openBrowser(server))).toBe(0)
    expect(await ask(openBrowser(server))).toBe(9)
  })
})

describe('the captcha of a contact', () => {
  it('is required while two codes of the last hour are unused, for this number only', async () => {
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

describe('the SMS budget', () => {
  it('refuses codes only to the country code whose budget is spent', async () => {
    server = await startTestServer({ env: { SMS_BUDGET_ABROAD: '2', SMS_BUDGET_HOME: '1' } })
    expect(await ask(undefined, '33612345601')).toBe(0)
    expect(await ask(undefined, '33612345602')).toBe(0)
    expect(await ask(undefined, '33612345603')).toBe(409)
    expect(await ask(undefined, '4915112345601')).toBe(0)
    expect(await ask(undefined, phone)).toBe(0)
    expect(await ask(undefined, '237670000002')).toBe(409)
    expect(
      codeOf(await openBrowser(server).call('auth', { body: { msisdn: '', email: 'awa@example.cm' } })),
    ).toBe(0)
    await server.advanceSeconds(86_401)
    expect(await ask(undefined, '33612345604')).toBe(0)
    const errors = server.warnings.filter(({ level }) => level === 'error')
    const isSpent: unknown = expect.stringMatching(/^The daily SMS budget of this country code is spent\./)
    expect(errors.map(each => each.message)).toEqual([isSpent, isSpent])
    expect(JSON.stringify(server.warnings)).not.toContain('33612345603')
  })

  it('is not exceeded by twenty requests at the same time (D91, D96)', async () => {
    server = await startTestServer({ database: 'postgresql', env: { SMS_BUDGET_ABROAD: '5' } })
    const numbers = Array.from({ length: 20 }, (_, index) => `336123456${String(index).padStart(2, '0')}`)
    await Promise.all(numbers.map(number => ask(undefined, number)))
    // The last fifth of the budget, rounded down, is for contacts with an account.
    expect(await server.outbox.messages()).toHaveLength(4)
  })
})

/** Far more codes than a network gets without a captcha. */
const applicantCount = isFullRun ? 500 : 100

/**
 * The codes that a network gets in an hour of the clock before each code needs a captcha. When such an hour begins during a
 * test, the network gets more of them.
 */
const freeCodes = 30

describe('a busy network', () => {
  it('needs a captcha above its limit of an hour; IPv6 addresses of one /64 count together', async () => {
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

  it.each(isFullRun ? (['pglite', 'postgresql'] as const) : (['postgresql'] as const))(
    `of ${applicantCount} applicants lets all of them in, those above the limit after a solved captcha (%s)`,
    async database => {
      server = await startTestServer({
        database,
        // Many phones share this work; in the test one machine does all of it.
        env: { CAPTCHA: 'altcha', CAPTCHA_WORK: '10', TRUSTED_PROXIES: 'loopback' },
      })
      const headers = { 'x-forwarded-for': '41.202.7.7' }
      const numbers = Array.from(
        { length: applicantCount },
        (_, index) => `2376711${String(index).padStart(5, '0')}`,
      )
      const request = (browser: TestBrowser, msisdn: string, gRecaptchaResponse?: string) =>
        browser.call('auth', { body: { msisdn, email: '', gRecaptchaResponse }, headers })
      const codesSent = { directly: 0, afterCaptcha: 0 }
      for (let start = 0; start < numbers.length; start += 25) {
        const group = numbers
          .slice(start, start + 25)
          .map(msisdn => ({ msisdn, browser: openBrowser(server) }))
        await Promise.all(
          group.map(async ({ msisdn, browser }) => {
            let answered = await request(browser, msisdn)
            if (codeOf(answered) === 0) return (codesSent.directly += 1)
            expect(codeOf(answered), inspect(server.warnings)).toBe(11)
            answered = await request(browser, msisdn, await solvePuzzle(browser, workOf(answered)))
            // The puzzles become harder with the codes that others of the network get before the puzzle is solved.
            if (codeOf(answered) === 12)
              answered = await request(browser, msisdn, await solvePuzzle(browser, workOf(answered)))
            expect(codeOf(answered)).toBe(0)
            return (codesSent.afterCaptcha += 1)
          }),
        )
        for (const { msisdn, browser } of group) {
          const otp = await server.outbox.codeFor(msisdn)
          expect((await browser.call('login', { body: { msisdn, email: '', otp }, headers })).kind).toBe('ok')
        }
      }
      expect(codesSent.directly).toBeGreaterThanOrEqual(freeCodes)
      expect(codesSent.directly + codesSent.afterCaptcha).toBe(applicantCount)
      const rows = await server.services.db.selectFrom('session').select('id').execute()
      expect(rows).toHaveLength(applicantCount)
      process.stdout.write(
        `${database}: ${codesSent.directly} directly, ${codesSent.afterCaptcha} after a captcha\n`,
      )
    },
  )

  it('ignores X-Forwarded-For without a trusted proxy', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'altcha', NETWORK_CODES_PER_HOUR: '1' } })
    const app = server.app
    const from = async (remoteAddress: string, forwardedFor: string, msisdn: string) => {
      const response = await app.inject({
        method: 'POST',
        url: '/api/v1/auth',
        remoteAddress,
        headers: { 'x-forwarded-for': forwardedFor },
        payload: { msisdn, email: '' },
      })
      return response.json<{ data: { statusCode: number } }>().data.statusCode
    }
    expect(await from('41.202.1.1', '10.0.0.1', '237670000001')).toBe(0)
    expect(await from('41.202.1.1', '10.0.0.2', '237670000002')).toBe(11)
  })
})
