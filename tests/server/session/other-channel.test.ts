import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedDeviceHeader } from '#contract/codes.ts'
import { TokenClaims } from '#contract/session.ts'
import {
  type Answered,
  bodyOf,
  openBrowser,
  signIn,
  type SignedIn,
  type TestBrowser,
} from '#support/servers/api-client.ts'
import { addSecondContact, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { CAPTCHA: 'altcha', SMS_BUDGET_ABROAD: '2' } })
})
afterAll(() => server.close())

type ContactBody = { msisdn: string; email: string }

const byPhone = (phone: string): ContactBody => ({ msisdn: phone, email: '' })
const byEmail = (email: string): ContactBody => ({ msisdn: '', email })

/** Creates an applicant with a phone number and an e-mail address. */
async function signUp(phone: string, email: string): Promise<SignedIn> {
  const applicant = await signIn(server, { phone })
  bodyOf(await addSecondContact(server, applicant, { by: { phone }, added: byEmail(email) }))
  return applicant
}

async function codesTo(contact: string): Promise<string[]> {
  const messages = await server.outbox.messages()
  return messages
    .filter(message => message.to === contact && message.kind === 'otp')
    .map(message => message.code ?? '')
}

async function ask(
  browser: TestBrowser,
  contactBody: ContactBody,
  otherChannel = false,
): Promise<number | null> {
  const answer = await browser.call('auth', { body: { ...contactBody, otherChannel } })
  return answer.kind === 'ok' ? answer.body.data.statusCode : answer.failure.statusCode
}

function refusalOf(answer: Answered<'login' | 'confirmContact'>): number | null {
  return answer.kind === 'failed' ? answer.failure.statusCode : 0
}

function claimsOf(token: string): TokenClaims {
  return TokenClaims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
}

describe('a code by the other channel (F6, D21)', () => {
  it('goes to the other contact, and signs in with the typed contact', async () => {
    const [phone, email] = ['237670000001', 'one@example.cm']
    const applicant = await signUp(phone, email)
    for (const [typed, other] of [
      [byPhone(phone), email],
      [byEmail(email), phone],
    ] as const) {
      const browser = openBrowser(server)
      expect(await ask(browser, typed)).toBe(0)
      const before = (await codesTo(other)).length
      expect(await ask(browser, typed, true)).toBe(0)
      const codes = await codesTo(other)
      expect(codes).toHaveLength(before + 1)
      const answer = bodyOf(await browser.call('login', { body: { ...typed, otp: codes.at(-1) ?? '' } }))
      expect(answer.data.applicantId).toBe(applicant.applicantId)
      expect(claimsOf(answer.data.token)).toMatchObject({ msisdn: phone, email })
    }
  })

  it('leaves the first code valid, because it may only be late', async () => {
    const phone = '237670000002'
    await signUp(phone, 'two@example.cm')
    const browser = openBrowser(server)
    await ask(browser, byPhone(phone))
    const otp = await server.outbox.codeFor(phone)
    await ask(browser, byPhone(phone), true)
    expect((await browser.call('login', { body: { ...byPhone(phone), otp } })).kind).toBe('ok')
  })

  it('is not sent without another contact, and the answer is the same', async () => {
    const known = '237670000003'
    await signIn(server, { phone: known })
    const sent = (await server.outbox.messages()).length
    for (const phone of [known, '237670000004']) {
      const browser = openBrowser(server)
      expect(await ask(browser, byPhone(phone), true)).toBe(0)
      expect(refusalOf(await browser.call('login', { body: { ...byPhone(phone), otp: '123456' } }))).toBe(1)
    }
    expect(await server.outbox.messages()).toHaveLength(sent)
    expect(server.warnings).toEqual([])
  })

  it('does not wait for the first code, waits a minute after its own kind, and counts for the captcha', async () => {
    const browser = openBrowser(server)
    const typed = byPhone('237670000005')
    expect(await ask(browser, typed)).toBe(0)
    expect(await ask(browser, typed, true)).toBe(0)
    expect(await ask(browser, typed, true)).toBe(9)
    expect(await ask(browser, typed)).toBe(9)
    await server.advanceSeconds(61)
    expect(await ask(browser, typed, true)).toBe(3)
  })

  it('does not change the limits of the other contact, which would reveal that both belong together', async () => {
    const [phone, email] = ['237670000006', 'six@example.cm']
    await signUp(phone, email)
    await server.advanceSeconds(61)
    expect(await ask(openBrowser(server), byPhone(phone), true)).toBe(0)
    expect(await ask(openBrowser(server), byEmail(email))).toBe(0)
  })

  it('uses the SMS budget of the number it is sent to, and does not reveal when the budget is spent', async () => {
    const [phone, email] = ['33612345607', 'seven@example.cm']
    await signUp(phone, email)
    const sent = (await codesTo(phone)).length
    expect(await ask(openBrowser(server), byEmail(email), true)).toBe(0)
    expect(await codesTo(phone)).toHaveLength(sent)
  })

  it('makes no browser known for the typed contact, which it has not verified (D90)', async () => {
    const [phone, email] = ['237670000009', 'nine@example.cm']
    const owner = await signUp(phone, email)
    const borrowed = openBrowser(server)
    const signInByEmail = async (browser: TestBrowser, headers = {}) => {
      await server.advanceSeconds(61)
      expect(await ask(browser, byPhone(phone), true)).toBe(0)
      const otp = (await codesTo(email)).at(-1) ?? ''
      bodyOf(await browser.call('login', { body: { ...byPhone(phone), otp }, headers }))
    }
    await signInByEmail(owner)
    await signInByEmail(borrowed)
    await server.advanceSeconds(61)
    expect(await ask(openBrowser(server), byPhone(phone))).toBe(0)
    // A browser that is unknown for the number waits for the codes of other browsers.
    expect(await ask(borrowed, byPhone(phone))).toBe(9)
    expect(await ask(owner, byPhone(phone))).toBe(0)
    const otp = await server.outbox.codeFor(phone)
    bodyOf(await owner.call('login', { body: { ...byPhone(phone), otp } }))
    await signInByEmail(owner, { [sharedDeviceHeader]: '1' })
    await server.advanceSeconds(3_601)
    expect(await ask(borrowed, byPhone(phone))).toBe(0)
    expect(await ask(owner, byPhone(phone))).toBe(9)
  })

  it('does not verify the typed number when an applicant adds it as a second contact', async () => {
    const [phone, email] = ['237670000008', 'eight@example.cm']
    const owner = await signUp(phone, email)
    const thief = await signIn(server, { email: 'thief@example.cm' })
    await proveContact(server, thief, { email: 'thief@example.cm' })
    await ask(thief, byPhone(phone), true)
    const otp = (await codesTo(email)).at(-1) ?? ''
    expect(refusalOf(await thief.call('confirmContact', { body: { ...byPhone(phone), otp } }))).toBe(2)
    await server.advanceSeconds(61)
    expect((await signIn(server, { phone })).applicantId).toBe(owner.applicantId)
  })
})
