import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, openBrowser, type TestBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const contact = { msisdn: '237670000001', email: '' }

/** A browser that has requested a code, which is valid for five minutes. */
async function openCodePage(database: 'any' | 'postgresql' = 'any') {
  server = await startTestServer({ database, offices: 'none', env: { OTP_TTL_SECONDS: '300' } })
  const browser = openBrowser(server)
  bodyOf(await browser.call('auth', { body: contact }))
  const right = await server.outbox.codeFor(contact.msisdn)
  return { browser, right, wrong: right === '000000' ? '000001' : '000000' }
}

const enter = (browser: TestBrowser, otp: string) => browser.call('login', { body: { ...contact, otp } })

const tooSoon = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  failure: { reason: 'too-many-requests', data: { seconds } },
})
const isWrong = (triesLeft: number) => ({ status: 400, failure: { statusCode: 1, data: { triesLeft } } })

describe('the next try after wrong codes (D125)', () => {
  it('is compared at once after one wrong code', async () => {
    const { browser, right, wrong } = await openCodePage()
    expect(await enter(browser, wrong)).toMatchObject(isWrong(4))
    expect((await enter(browser, right)).kind).toBe('ok')
  })

  it('waits 2, 5 and 10 s after the second, third and fourth, and no refused try counts', async () => {
    const { browser, right, wrong } = await openCodePage()
    expect(await enter(browser, wrong)).toMatchObject(isWrong(4))
    for (const [triesLeft, seconds] of [
      [3, 2],
      [2, 5],
      [1, 10],
    ] as const) {
      expect(await enter(browser, wrong)).toMatchObject(isWrong(triesLeft))
      for (const code of [wrong, right, wrong])
        expect(await enter(browser, code)).toMatchObject(tooSoon(seconds))
      await server.advanceSeconds(seconds)
    }
    expect((await enter(browser, right)).kind).toBe('ok')
  })

  it('repeats, without a wait, a sign-in whose answer was lost', async () => {
    const { browser, right, wrong } = await openCodePage()
    await enter(browser, wrong)
    await enter(browser, wrong)
    await server.advanceSeconds(2)
    for (const attempt of ['first', 'repeated'])
      expect((await enter(browser, right)).kind, attempt).toBe('ok')
  })

  it('does not wait in another browser, which has a code of its own', async () => {
    const { browser, wrong } = await openCodePage()
    await server.advanceSeconds(61)
    const other = openBrowser(server)
    bodyOf(await other.call('auth', { body: contact }))
    const right = await server.outbox.codeFor(contact.msisdn)
    for (const triesLeft of [4, 3]) expect(await enter(browser, wrong)).toMatchObject(isWrong(triesLeft))
    expect(await enter(browser, wrong)).toMatchObject(tooSoon(2))
    expect((await enter(other, right)).kind).toBe('ok')
  })

  it('must wait when fifty tries come at the same time: only two of them are compared', async () => {
    const { browser, right } = await openCodePage('postgresql')
    const guesses = Array.from({ length: 50 }, (_, index) => String((Number(right) + 1 + index) % 1_000_000))
    const answers = await Promise.all(guesses.map(guess => enter(browser, guess.padStart(6, '0'))))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 400)).toHaveLength(2)
    expect(statuses.filter(status => status === 429)).toHaveLength(48)
  })
})
