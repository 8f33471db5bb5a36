import { afterEach, describe, expect, it } from 'vitest'
import { TokenClaims } from '#contract/session.ts'
import { bodyOf, openBrowser, signIn, type SignedIn } from '#support/servers/api-client.ts'
import { addSecondContact, proveContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { recordStatements } from '#support/servers/statements.ts'
import { testedEngines } from '#support/test-tier.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const email = 'awa@example.cm'
const byPhone = { msisdn: phone, email: '' }
const byEmail = { msisdn: '', email }

/**
 * Adds the contact after a code to the contact that the applicant has: `phone` when an e-mail address is added, else
 * `email`.
 */
async function addContact(applicant: SignedIn, added: { msisdn: string; email: string }) {
  return addSecondContact(server, applicant, { by: added.msisdn === '' ? { phone } : { email }, added })
}

function claimsOf(token: string): TokenClaims {
  return TokenClaims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
}

async function numbersOf(applicant: SignedIn): Promise<string[]> {
  return bodyOf(await applicant.call('listApplications')).data.map(each => each.applicationNumber)
}

async function countApplicants(): Promise<number> {
  return (await server.services.db.selectFrom('applicant').select('id').execute()).length
}

describe('a second contact (F5)', () => {
  it.each([
    ['an e-mail to a phone', { phone }, byEmail],
    ['a phone to an e-mail', { email }, byPhone],
  ])('%s: leads to the same applications as the first', async (_, first, added) => {
    server = await startTestServer()
    const applicant = await signIn(server, first)
    const { applicationNumber } = bodyOf(await applicant.call('createApplication')).data
    const { token, draftKey } = bodyOf(await addContact(applicant, added)).data
    expect(claimsOf(token)).toMatchObject({ msisdn: phone, email, applicantId: applicant.applicantId })
    expect(draftKey).toBe(applicant.draftKey)
    for (const contact of [{ phone }, { email }]) {
      const again = await signIn(server, contact)
      expect(again.applicantId).toBe(applicant.applicantId)
      expect(claimsOf(again.token)).toMatchObject({ msisdn: phone, email })
      expect(await numbersOf(again)).toEqual([applicationNumber])
    }
  })

  it('is in the token of the session after its next refresh, and ends the other sessions (D70)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server, { phone })
    const other = await signIn(server, { phone })
    bodyOf(await addContact(applicant, byEmail))
    const { token } = bodyOf(await applicant.call('refreshToken')).data
    expect(claimsOf(token)).toMatchObject({ msisdn: phone, email })
    expect((await other.call('listApplications')).status).toBe(401)
    expect((await other.call('refreshToken')).status).toBe(401)
  })

  it('causes a message to both contacts, and only that to the first contact has the link to undo it (D70)', async () => {
    server = await startTestServer()
    bodyOf(await addContact(await signIn(server, { phone }), byEmail))
    const notices = (await server.outbox.messages()).filter(message => message.kind === 'security')
    expect(notices).toMatchObject([
      { channel: 'sms', to: phone, text: expect.stringMatching(/\/undo#(?:\w{4}-){2}\w{4}$/) },
      { channel: 'email', to: email, text: expect.not.stringContaining('/undo') },
    ])
    for (const { text } of notices) expect(text).not.toContain(email)
  })

  it('moves from an applicant without applications to the one who verifies it, and ends the old sessions', async () => {
    server = await startTestServer()
    const alone = await signIn(server, { email })
    const applicant = await signIn(server, { phone })
    bodyOf(await addContact(applicant, byEmail))
    expect(await countApplicants()).toBe(1)
    expect((await alone.call('listApplications')).status).toBe(401)
    expect((await alone.call('refreshToken')).status).toBe(401)
    expect((await signIn(server, { email })).applicantId).toBe(applicant.applicantId)
  })

  it('is refused when its owner has applications, with the same text as an invalid contact', async () => {
    server = await startTestServer()
    const owner = await signIn(server, { email })
    bodyOf(await owner.call('createApplication'))
    const applicant = await signIn(server, { phone })
    const refused = await addContact(applicant, byEmail)
    const unfit = await applicant.call('confirmContact', {
      body: { msisdn: '33899123456', email: '', otp: '123456' },
    })
    expect(refused).toMatchObject({ kind: 'failed', status: 400, failure: { reason: 'contact-refused' } })
    expect(failureOf(refused)).toEqual(failureOf(unfit))
    expect(await numbersOf(owner)).toHaveLength(1)
    expect(await numbersOf(applicant)).toEqual([])
    expect((await signIn(server, { email })).applicantId).toBe(owner.applicantId)
  })

  it('is refused when the applicant already has one of this kind', async () => {
    server = await startTestServer()
    const applicant = await signIn(server, { phone })
    bodyOf(await addContact(applicant, byEmail))
    const second = await addContact(applicant, { msisdn: '', email: 'other@example.cm' })
    expect(second).toMatchObject({ kind: 'failed', failure: { reason: 'contact-refused' } })
    // A refusal does not use up the proof: without a new one, the applicant may confirm the account's e-mail again.
    await server.advanceSeconds(61)
    bodyOf(await applicant.call('addContact', { body: byEmail }))
    const otp = await server.outbox.codeFor(email)
    expect((await applicant.call('confirmContact', { body: { ...byEmail, otp } })).kind).toBe('ok')
  })

  it('needs its own code in the browser that asked for it', async () => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const applicant = await signIn(server, { phone })
    await proveContact(server, applicant, { phone })
    bodyOf(await applicant.call('addContact', { body: byEmail }))
    const otp = await server.outbox.codeFor(email)
    const wrong = otp === '000000' ? '000001' : '000000'
    expect(await applicant.call('confirmContact', { body: { ...byEmail, otp: wrong } })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 1 },
    })
    const otherBrowser = openBrowser(server, applicant.token)
    expect(await otherBrowser.call('confirmContact', { body: { ...byEmail, otp } })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 2 },
    })
    expect((await applicant.call('confirmContact', { body: { ...byEmail, otp } })).kind).toBe('ok')
    // Within 60 s the same session may repeat the request, because its answer may have been lost (D21).
    await server.advanceSeconds(61)
    expect((await applicant.call('confirmContact', { body: { ...byEmail, otp } })).kind).toBe('failed')
  })

  it('has the wait of the sign-in between two codes, and the same work for contacts with and without an account', async () => {
    server = await startTestServer()
    const owner = await signIn(server, { email })
    bodyOf(await owner.call('createApplication'))
    const applicant = await signIn(server, { phone })
    // The first call with a token marks its session as used, which is one more statement.
    await proveContact(server, applicant, { phone })
    const recorded = recordStatements(server)
    const browser = openBrowser(recorded.server, applicant.token)
    const known = await browser.call('addContact', { body: byEmail })
    const workForKnown = recorded.takeKinds()
    const unknown = await browser.call('addContact', { body: { msisdn: '', email: 'nobody@example.cm' } })
    expect(recorded.takeKinds()).toEqual(workForKnown)
    expect([known.status, bodyOf(known)]).toEqual([unknown.status, bodyOf(unknown)])
    expect(await browser.call('addContact', { body: byEmail })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 9 },
    })
  })
})

describe.each(testedEngines)('two applicants who verify the same contact at once on %s', database => {
  it('end with one who has the contact and one who has not', async () => {
    server = await startTestServer({ database, env: { OTP_TTL_SECONDS: '300' } })
    const ones = [await signIn(server, { phone }), await signIn(server, { phone: '237670000002' })]
    const codes: string[] = []
    for (const [index, one] of ones.entries()) {
      await proveContact(server, one, { phone: index === 0 ? phone : '237670000002' })
      bodyOf(await one.call('addContact', { body: byEmail }))
      codes.push(await server.outbox.codeFor(email))
      await server.advanceSeconds(61)
    }
    await Promise.all(ones.map(one => one.call('createApplication')))
    const answers = await Promise.all(
      ones.map((one, index) => one.call('confirmContact', { body: { ...byEmail, otp: codes[index] ?? '' } })),
    )
    const rows = await server.services.db
      .selectFrom('contact')
      .selectAll()
      .where('kind', '=', 'email')
      .execute()
    expect(rows).toHaveLength(1)
    expect(answers.filter(answer => answer.kind === 'ok')).toHaveLength(1)
  })
})

function failureOf(answer: Awaited<ReturnType<typeof addContact>>) {
  return answer.kind === 'failed' ? answer.failure : undefined
}
