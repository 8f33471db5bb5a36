import { afterEach, describe, expect, it } from 'vitest'
import { TokenClaims } from '#contract/session.ts'
import { bodyOf, openBrowser, signIn, type SignedIn } from '#support/servers/api-client.ts'
import { proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { testedEngines } from '#support/test-tier.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'
const byEmail = { msisdn: '', email }
const expired = { kind: 'failed', status: 400, failure: { statusCode: 2, reason: 'code-expired' } }

/** An applicant who has confirmed a second contact, and has not received the answer. */
async function start(settings: Parameters<typeof startTestServer>[0] = {}) {
  server = await startTestServer({ offices: 'none', ...settings })
  const applicant = await signIn(server, { phone })
  await proveContact(server, applicant, { phone })
  bodyOf(await applicant.call('addContact', { body: byEmail }))
  const otp = await server.outbox.codeFor(email)
  const lost = bodyOf(await confirm(applicant, otp)).data
  return { applicant, otp, lost }
}

function confirm(applicant: Pick<SignedIn, 'call'>, otp: string, contactBody = byEmail) {
  return applicant.call('confirmContact', { body: { ...contactBody, otp } })
}

function claimsOf(token: string): TokenClaims {
  return TokenClaims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
}

async function countSecurityMessages(): Promise<number> {
  return (await server.outbox.messages()).filter(message => message.kind === 'security').length
}

describe.each(testedEngines)(
  'the confirmation of a second contact whose response was lost, on %s',
  database => {
    it('succeeds again, with both contacts in the token, for the same code from the same session for 60 s (D21, F5)', async () => {
      const { applicant, otp, lost } = await start({ database })
      await server.advanceSeconds(59)
      const repeated = bodyOf(await confirm(applicant, otp)).data
      expect(claimsOf(repeated.token)).toMatchObject({ msisdn: phone, email })
      expect(repeated.draftKey).toBe(lost.draftKey)
      expect((await openBrowser(server, repeated.token).call('listApplications')).kind).toBe('ok')
      expect(await countSecurityMessages()).toBe(2)
    })
  },
)

describe('the repetition of a second contact (D21, F5)', () => {
  it('is refused after 60 s', async () => {
    const { applicant, otp } = await start({ env: { OTP_TTL_SECONDS: '300' } })
    await server.advanceSeconds(61)
    expect(await confirm(applicant, otp)).toMatchObject(expired)
  })

  it('is refused in another session of the same applicant and browser', async () => {
    const { applicant, otp } = await start()
    const other = await signIn(server, { email })
    for (const [name, value] of applicant.cookies) other.cookies.set(name, value)
    expect(await confirm(other, otp)).toMatchObject(expired)
    expect((await confirm(applicant, otp)).kind).toBe('ok')
  })

  it('is refused in another browser and for another contact', async () => {
    const { applicant, otp } = await start()
    expect(await confirm(openBrowser(server, applicant.token), otp)).toMatchObject(expired)
    const other = { msisdn: '', email: 'other@example.cm' }
    expect(await confirm(applicant, otp, other)).toMatchObject(expired)
  })

  it('is refused once the contact belongs to another applicant', async () => {
    const { applicant, otp } = await start()
    const other = await signIn(server, { phone: '237670000002' })
    await server.services.db
      .updateTable('contact')
      .set({ applicant_id: other.applicantId })
      .where('kind', '=', 'email')
      .execute()
    expect(await confirm(applicant, otp)).toMatchObject(expired)
  })

  it('counts wrong codes, and is refused after five of them', async () => {
    const { applicant, otp } = await start()
    const wrong = otp === '000000' ? '000001' : '000000'
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await confirm(applicant, wrong)).toMatchObject(expired)
      await server.advanceSeconds(10)
    }
    expect(await confirm(applicant, otp)).toMatchObject(expired)
  })

  it('does not sign in', async () => {
    const { applicant, otp } = await start()
    expect(await applicant.call('login', { body: { ...byEmail, otp } })).toMatchObject(expired)
  })
})
