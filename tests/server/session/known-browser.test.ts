import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedDeviceHeader } from '#contract/codes.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import {
  codesPerDayFromNetwork,
  codesPerDayToContact,
  knownBrowserDays,
} from '#server/features/session/send-limit-rule.ts'
import { readContact } from '#server/features/session/contact.ts'
import { sendCode } from '#server/features/session/send-code.ts'
import { bodyOf, openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { solvePuzzle } from '#support/providers/puzzle.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { CAPTCHA: 'altcha', CAPTCHA_WORK: '10' } })
})
afterAll(() => server.close())

const daySeconds = 86_400
const contactBody = (phone: string) => ({ msisdn: phone, email: '' })

/** Requests a code, and solves the captcha if the server demands one. Returns the last `statusCode`; 0: sent. */
async function ask(browser: TestBrowser, phone: string): Promise<number | null> {
  const body = contactBody(phone)
  const first = await browser.call('auth', { body })
  if (first.kind === 'ok') return 0
  if (first.failure.statusCode !== 3) return first.failure.statusCode
  const solved = { ...body, gRecaptchaResponse: await solvePuzzle(browser) }
  const second = await browser.call('auth', { body: solved })
  return second.kind === 'ok' ? 0 : second.failure.statusCode
}

/** An attacker with several networks who wants to lock the owner out, and solves each captcha. */
async function useUpTheDay(phone: string): Promise<void> {
  const contact = readContact(contactBody(phone))
  if (!contact) throw new Error('The number is invalid.')
  for (let sent = 0; sent < codesPerDayToContact; sent += 1) {
    const address = `41.202.${Math.floor(sent / codesPerDayFromNetwork)}.1`
    const codeRequest = {
      contact,
      browser: `stranger ${sent}`,
      otherChannel: false,
      isCaptchaSolved: true,
      isKnownBrowser: false,
    }
    // `isReserved`: whether a contact without an account gets no code now.
    expect(await sendCode(server.services, { ...codeRequest, address, language: 'fr' })).toEqual({
      isReserved: false,
    })
    await sql`update one_time_code set sent_at = sent_at - interval '721 seconds',
      expires_at = expires_at - interval '721 seconds'`.execute(server.services.db)
  }
  expect(await ask(openBrowser(server), phone)).toBe(9)
}

describe('a browser in which the number was verified before', () => {
  it('can sign in with a captcha when an attacker has used up the codes of the day (D20)', async () => {
    const phone = '237670000001'
    const owner = await signIn(server, { phone })
    const neighbour = await signIn(server, { phone: '237670000002' })
    await server.advanceSeconds((knownBrowserDays - 1) * daySeconds)
    await deleteExpiredRows(server.services.db)
    await useUpTheDay(phone)
    expect(await owner.call('auth', { body: contactBody(phone) })).toMatchObject({
      failure: { statusCode: 3 },
    })
    expect(await ask(neighbour, phone)).toBe(9)
    expect(await ask(owner, phone)).toBe(0)
    const otp = await server.outbox.codeFor(phone)
    bodyOf(await owner.call('login', { body: { ...contactBody(phone), otp } }))
  })

  it('has its own limits: a minute between codes, five codes per hour', async () => {
    const phone = '237670000003'
    const owner = await signIn(server, { phone })
    await server.advanceSeconds(2 * daySeconds)
    for (let sent = 0; sent < 5; sent += 1) {
      expect(await ask(owner, phone)).toBe(0)
      expect(await ask(owner, phone)).toBe(9)
      await server.advanceSeconds(61)
    }
    expect(await ask(owner, phone)).toBe(9)
  })

  it('is not known on a shared device, nor after half a year', async () => {
    const headers = { [sharedDeviceHeader]: '1' }
    const [forgotten, shared] = ['237670000004', '237670000005']
    const once = await signIn(server, { phone: forgotten })
    const browser = openBrowser(server)
    bodyOf(await browser.call('auth', { body: contactBody(shared), headers }))
    const otp = await server.outbox.codeFor(shared)
    bodyOf(await browser.call('login', { body: { ...contactBody(shared), otp }, headers }))
    await server.advanceSeconds(2 * daySeconds)
    await useUpTheDay(shared)
    expect(await ask(browser, shared)).toBe(9)
    await server.advanceSeconds(knownBrowserDays * daySeconds + 1)
    await deleteExpiredRows(server.services.db)
    await useUpTheDay(forgotten)
    expect(await ask(once, forgotten)).toBe(9)
  })
})

it('gives each browser that requests a code a cookie for half a year, on a shared device for a day', async () => {
  for (const [headers, seconds] of [
    [{}, knownBrowserDays * daySeconds],
    [{ [sharedDeviceHeader]: '1' }, daySeconds],
  ] as const) {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/v1/auth',
      payload: { msisdn: '', email: `known-${seconds}@example.cm` },
      headers: { host: 'localhost:8080', 'sec-fetch-site': 'same-origin', ...headers },
    })
    const cookie = answer.cookies.find(each => each.name === 'browser')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', maxAge: seconds })
  }
})
