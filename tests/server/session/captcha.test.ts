import type { Challenge } from 'altcha-lib'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, openBrowser, type TestBrowser } from '#support/servers/api-client.ts'
import { encodeAnswer, solvePuzzle } from '#support/providers/puzzle.ts'
import { startFakeHttpService } from '#support/providers/fake-services.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

/** Only the first test has puzzles of the usual work: each of them costs half a second of CPU. */
const easyPuzzles = { CAPTCHA: 'altcha', CAPTCHA_WORK: '10' }

const contactBody = { msisdn: '237670000001', email: '' }

/** Opens a browser that got two codes and used neither. */
async function askTwice(): Promise<TestBrowser> {
  const browser = openBrowser(server)
  for (let sent = 0; sent < 2; sent += 1) {
    bodyOf(await browser.call('auth', { body: contactBody }))
    await server.advanceSeconds(61)
  }
  return browser
}

function decode(answer: string): { challenge: Challenge; solution: { counter: number; derivedKey: string } } {
  return JSON.parse(Buffer.from(answer, 'base64').toString())
}

describe('the captcha', () => {
  it('is required for the third code, and its answer allows the next code (SIG11, SIG12, SIG13)', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'altcha' } })
    const browser = await askTwice()
    const refusal = await browser.call('auth', { body: contactBody })
    expect(refusal).toMatchObject({
      kind: 'failed',
      status: 200,
      failure: { statusCode: 3, data: { statusCode: 3 } },
    })
    expect(bodyOf(await browser.call('getSiteKey')).data).toEqual({
      provider: 'altcha',
      challengeUrl: '/api/v1/captcha/challenge',
    })
    const answer = await solvePuzzle(browser)
    expect(
      bodyOf(await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse: answer } })).data
        .statusCode,
    ).toBe(0)
  })

  it('accepts an answer once, and refuses its second use (statusCode 12)', async () => {
    server = await startTestServer({ env: easyPuzzles })
    const browser = await askTwice()
    const answer = await solvePuzzle(browser)
    bodyOf(await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse: answer } }))
    await server.advanceSeconds(61)
    const again = await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse: answer } })
    expect(again).toMatchObject({ kind: 'failed', status: 200, failure: { statusCode: 12 } })
  })

  it('accepts an answer once when ten browsers send it at the same time (D96)', async () => {
    server = await startTestServer({ database: 'postgresql', env: easyPuzzles })
    const numbers = Array.from({ length: 10 }, (_, index) => `23767000001${index}`)
    const browsers = []
    for (const msisdn of numbers) {
      const browser = openBrowser(server)
      browsers.push({ browser, body: { msisdn, email: '' } })
      for (let sent = 0; sent < 2; sent += 1) {
        bodyOf(await browser.call('auth', { body: { msisdn, email: '' } }))
        if (sent === 0) await server.advanceSeconds(61)
      }
    }
    await server.advanceSeconds(61)
    const gRecaptchaResponse = await solvePuzzle(openBrowser(server))
    const answers = await Promise.all(
      browsers.map(({ browser, body }) => browser.call('auth', { body: { ...body, gRecaptchaResponse } })),
    )
    expect(answers.filter(({ kind }) => kind === 'ok')).toHaveLength(1)
  })

  it('refuses an answer that is older than ten minutes (statusCode 12)', async () => {
    server = await startTestServer({ env: easyPuzzles })
    const browser = await askTwice()
    const answer = await solvePuzzle(browser)
    await server.advanceSeconds(601)
    const late = await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse: answer } })
    expect(late).toMatchObject({ kind: 'failed', failure: { statusCode: 12 } })
  })

  it.each([
    ['nonsense', () => 'nonsense'],
    [
      'another solution',
      (right: string) => {
        const { challenge, solution } = decode(right)
        return encodeAnswer({
          challenge,
          solution: {
            ...solution,
            derivedKey: solution.derivedKey.replace(/.$/, end => (end === '0' ? '1' : '0')),
          },
        })
      },
    ],
    [
      'an easier puzzle',
      (right: string) => {
        const { challenge, solution } = decode(right)
        return encodeAnswer({
          challenge: { ...challenge, parameters: { ...challenge.parameters, cost: 1 } },
          solution,
        })
      },
    ],
    [
      'a puzzle that lasts longer',
      (right: string) => {
        const { challenge, solution } = decode(right)
        const { data } = challenge.parameters
        const later = { ...data, validUntilSeconds: Number(data?.['validUntilSeconds']) + 60 }
        return encodeAnswer({
          challenge: { ...challenge, parameters: { ...challenge.parameters, data: later } },
          solution,
        })
      },
    ],
    [
      'a puzzle that says that it was harder',
      (right: string) => {
        const { challenge, solution } = decode(right)
        const { data } = challenge.parameters
        const harder = { ...data, work: Number(data?.['work']) + 1 }
        return encodeAnswer({
          challenge: { ...challenge, parameters: { ...challenge.parameters, data: harder } },
          solution,
        })
      },
    ],
  ])('refuses %s (statusCode 8)', async (_, bend) => {
    server = await startTestServer({ env: easyPuzzles })
    const browser = await askTwice()
    const answer = bend(await solvePuzzle(browser))
    const refused = await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse: answer } })
    expect(refused).toMatchObject({ kind: 'failed', status: 200, failure: { statusCode: 8 } })
  })

  it('is not required for the third code when it is off, and offers no puzzle', async () => {
    server = await startTestServer({ env: { CAPTCHA: 'off' } })
    const browser = await askTwice()
    bodyOf(await browser.call('auth', { body: contactBody }))
    expect(bodyOf(await browser.call('getSiteKey')).data).toEqual({ provider: 'off' })
    expect(await browser.call('captchaChallenge')).toMatchObject({ kind: 'failed', status: 404 })
  })

  it('can be reCAPTCHA: the client gets the site key and the provider verifies the answer (API02, D24)', async () => {
    const provider = await startProvider({
      right: { success: true },
      old: { success: false, 'error-codes': ['timeout-or-duplicate'] },
      unchecked: { success: false, 'error-codes': ['invalid-input-secret'] },
    })
    server = await startTestServer({
      env: {
        CAPTCHA: 'recaptcha',
        RECAPTCHA_SITE_KEY: 'site-key',
        RECAPTCHA_SECRET: 'the-secret',
        RECAPTCHA_VERIFY_URL: provider.url,
      },
    })
    const browser = await askTwice()
    expect(bodyOf(await browser.call('getSiteKey')).data).toBe('site-key')
    const answers = []
    for (const gRecaptchaResponse of ['old', 'other', 'broken', 'unchecked', 'right'])
      answers.push(await browser.call('auth', { body: { ...contactBody, gRecaptchaResponse } }))
    await provider.close()
    expect(answers.map(answer => (answer.kind === 'ok' ? 0 : answer.failure.statusCode))).toEqual([
      12, 8, 503, 503, 0,
    ])
    expect(provider.requests.every(body => body.get('secret') === 'the-secret')).toBe(true)
    expect(server.warnings).toEqual(
      ['status 200', 'invalid-input-secret'].map(reason => ({
        level: 'warn',
        fields: { reason },
        message: expect.stringContaining('reCAPTCHA did not check an answer'),
      })),
    )
  })
})

async function startProvider(verdicts: Record<string, object>) {
  const requests: URLSearchParams[] = []
  const { port, close } = await startFakeHttpService(({ body }) => {
    const params = new URLSearchParams(body)
    requests.push(params)
    const answer = params.get('response') ?? ''
    return { body: answer === 'broken' ? '<html>' : JSON.stringify(verdicts[answer] ?? { success: false }) }
  })
  return { url: `http://127.0.0.1:${port}/siteverify`, requests, close }
}
