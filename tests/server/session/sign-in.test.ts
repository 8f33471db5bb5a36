import { afterEach, describe, expect, it } from 'vitest'
import { TokenClaims } from '#contract/session.ts'
import { bodyOf, openBrowser, signIn, signInDirectly } from '#support/servers/api-client.ts'
import { maxRepeats } from '#server/features/session/refresh.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const phone = '237670000001'
const contactBody = { msisdn: phone, email: '' }

async function sendCode(browser = openBrowser(server)) {
  bodyOf(await browser.call('auth', { body: contactBody }))
  return { browser, otp: await server.outbox.codeFor(phone) }
}

describe('a code', () => {
  it('goes to a phone by SMS and signs the applicant in (SIG10, API01, API03)', async () => {
    server = await startTestServer()
    const applicant = await signIn(server, { phone })
    const [message] = await server.outbox.messages()
    expect(message).toMatchObject({ channel: 'sms', kind: 'otp', to: phone })
    expect(bodyOf(await applicant.call('listApplications')).data).toEqual([])
  })

  it('goes to an address by e-mail, in small letters and without the typed spaces (SIG07, SIG10, D71)', async () => {
    server = await startTestServer()
    const browser = openBrowser(server)
    await browser.call('auth', { body: { msisdn: '', email: ' Awa @example.cm ' } })
    const [message] = await server.outbox.messages()
    expect(message).toMatchObject({ channel: 'email', kind: 'otp', to: 'awa@example.cm' })
  })

  it('signs in the same applicant again, and another applicant for another contact', async () => {
    server = await startTestServer()
    const first = await signIn(server, { email: 'awa@example.cm' })
    const again = await signIn(server, { email: 'AWA@example.cm' })
    const other = await signIn(server, { email: 'abena@example.cm' })
    expect(again.applicantId).toBe(first.applicantId)
    expect(again.draftKey).toBe(first.draftKey)
    expect(other.applicantId).not.toBe(first.applicantId)
    expect(other.draftKey).not.toBe(first.draftKey)
  })

  it('creates one applicant for two first sign-ins at the same time', async () => {
    server = await startTestServer()
    const one = await sendCode()
    await server.services.db
      .updateTable('one_time_code')
      .set({ sent_at: new Date(0) })
      .execute()
    const two = await sendCode()
    const answers = await Promise.all(
      [one, two].map(({ browser, otp }) => browser.call('login', { body: { ...contactBody, otp } })),
    )
    expect(new Set(answers.map(answer => bodyOf(answer).data.applicantId)).size).toBe(1)
  })

  it('is refused with statusCode 1 for each kind of wrong code (ERR01)', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    const wrong = otp === '000000' ? '000001' : '000000'
    for (const [index, entry] of [wrong, '', '12', otp.slice(1), `${otp}0`].entries()) {
      const answer = await browser.call('login', { body: { ...contactBody, otp: entry } })
      expect(answer).toMatchObject({
        kind: 'failed',
        status: 400,
        failure: { statusCode: 1, reason: 'code-wrong', data: { triesLeft: 4 - index } },
      })
      await server.advanceSeconds(10)
    }
    const after = await browser.call('login', { body: { ...contactBody, otp } })
    expect(after).toMatchObject({ kind: 'failed', failure: { statusCode: 2, data: { triesLeft: 0 } } })
  })

  it('can be typed with spaces and dashes', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    const answer = await browser.call('login', {
      body: { ...contactBody, otp: ` ${otp.slice(0, 3)}-${otp.slice(3)} ` },
    })
    expect(answer.kind).toBe('ok')
  })

  it('is refused with statusCode 2 after it has expired (ERR02, LIM05)', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    await server.advanceSeconds(61)
    const answer = await browser.call('login', { body: { ...contactBody, otp } })
    expect(answer).toMatchObject({
      kind: 'failed',
      status: 400,
      failure: { statusCode: 2, data: { statusCode: 2 } },
    })
  })

  it('is valid for OTP_TTL_SECONDS, which the server publishes (OTP07, API06)', async () => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const { browser, otp } = await sendCode()
    expect(bodyOf(await browser.call('version')).data.otpTtl).toBe(300)
    await server.advanceSeconds(298)
    expect((await browser.call('login', { body: { ...contactBody, otp } })).kind).toBe('ok')
  })

  it('opens one session, which a few repetitions give again (D21)', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => browser.call('login', { body: { ...contactBody, otp } })),
    )
    // A call that is checked while another one opens the session may be refused. It counts as no repetition.
    let successes = answers.filter(answer => answer.kind === 'ok').length
    expect(successes).toBeGreaterThanOrEqual(1)
    for (; successes <= maxRepeats; successes += 1)
      bodyOf(await browser.call('login', { body: { ...contactBody, otp } }))
    const later = await browser.call('login', { body: { ...contactBody, otp } })
    expect(later).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
    expect(await server.services.db.selectFrom('session').select('id').execute()).toHaveLength(1)
  })

  it('is valid until it expires, also after a later code was sent', async () => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const first = await sendCode()
    await server.advanceSeconds(61)
    await sendCode(first.browser)
    expect((await first.browser.call('login', { body: { ...contactBody, otp: first.otp } })).kind).toBe('ok')
  })

  it('is refused as expired while a later code is valid, and costs that code one try', async () => {
    server = await startTestServer()
    const first = await sendCode()
    await server.advanceSeconds(61)
    const second = await sendCode(first.browser)
    const answer = await first.browser.call('login', { body: { ...contactBody, otp: first.otp } })
    expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 2, data: { triesLeft: 4 } } })
    expect((await first.browser.call('login', { body: { ...contactBody, otp: second.otp } })).kind).toBe('ok')
  })

  it('becomes invalid when a later code was used', async () => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const first = await sendCode()
    await server.advanceSeconds(61)
    const second = await sendCode(first.browser)
    bodyOf(await first.browser.call('login', { body: { ...contactBody, otp: second.otp } }))
    const answer = await first.browser.call('login', { body: { ...contactBody, otp: first.otp } })
    expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
  })

  it('is refused in another browser', async () => {
    server = await startTestServer()
    const { otp } = await sendCode()
    const answer = await openBrowser(server).call('login', { body: { ...contactBody, otp } })
    expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
  })

  it.each([
    ['as it is', (otp: string) => otp],
    ['in groups', (otp: string) => `${otp.slice(0, 4)} ${otp.slice(4)}`],
    ['with a line break from the e-mail', (otp: string) => `${otp}\n`],
  ])('signs in by e-mail when the eight digits are typed %s (D124)', async (__, typed) => {
    server = await startTestServer()
    const browser = openBrowser(server)
    const contact = { msisdn: '', email: 'awa@example.cm' }
    await browser.call('auth', { body: contact })
    const otp = await server.outbox.codeFor(contact.email)
    expect(otp).toMatch(/^\d{8}$/)
    expect((await browser.call('login', { body: { ...contact, otp: typed(otp) } })).kind).toBe('ok')
  })

  it('has eight digits when the other channel is e-mail (D124, F6)', async () => {
    server = await startTestServer()
    await signInDirectly(server, { phone: '237670000001', email: 'awa@example.cm' })
    const browser = openBrowser(server)
    await browser.call('auth', { body: { ...contactBody, otherChannel: true } })
    expect(await server.outbox.codeFor('awa@example.cm')).toMatch(/^\d{8}$/)
  })

  it('is refused for another number', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    const answer = await browser.call('login', { body: { msisdn: '237670000002', email: '', otp } })
    expect(answer).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
  })

  it('allows five guesses, also when thirty arrive at once', async () => {
    server = await startTestServer()
    const { browser, otp } = await sendCode()
    const guesses = Array.from({ length: 30 }, (_, index) =>
      String((Number(otp) + 1 + index) % 1_000_000).padStart(6, '0'),
    )
    const codes: (number | null)[] = []
    for (let moment = 0; moment < 5; moment += 1) {
      const answers = await Promise.all(
        guesses.map(guess => browser.call('login', { body: { ...contactBody, otp: guess } })),
      )
      codes.push(...answers.map(answer => (answer.kind === 'failed' ? answer.failure.statusCode : 0)))
      // The longest wait after a wrong code (D125).
      await server.advanceSeconds(10)
    }
    expect(codes.filter(code => code === 1)).toHaveLength(5)
    expect(codes).not.toContain(0)
    const right = await browser.call('login', { body: { ...contactBody, otp } })
    expect(right).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
  })

  it('has new tries when the code before has used up its tries', async () => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const first = await sendCode()
    for (let guess = 0; guess < 6; guess += 1) {
      await first.browser.call('login', { body: { ...contactBody, otp: 'guess' } })
      await server.advanceSeconds(10)
    }
    await server.advanceSeconds(61)
    const second = await sendCode(first.browser)
    const old = await first.browser.call('login', { body: { ...contactBody, otp: first.otp } })
    expect(old).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
    expect((await first.browser.call('login', { body: { ...contactBody, otp: second.otp } })).kind).toBe('ok')
  })

  it('is not in plain text in its table, nor in the outbox after it was sent', async () => {
    server = await startTestServer()
    const { otp } = await sendCode()
    const { db } = server.services
    const rows = [
      await db.selectFrom('one_time_code').selectAll().execute(),
      await db.selectFrom('outbox').selectAll().execute(),
    ]
    // The same six digits may occur by chance in a longer number or a hash.
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`(?<![\\da-f])${otp}(?![\\da-f])`))
  })
})

describe('the contact of a sign-in call', () => {
  it.each([
    { row: 'SIG03', msisdn: '2371234', accepted: false },
    { row: 'SIG04', msisdn: '33123', accepted: false },
    // The field accepts these (SIG03, SIG04), but no mobile phone can have them.
    { row: 'D91', msisdn: '23712345', accepted: false },
    { row: 'D91', msisdn: '331234', accepted: false },
    { row: 'D91', msisdn: '23767000000', accepted: false },
    { row: 'D91', msisdn: '237222222222', accepted: false },
    { row: 'D91', msisdn: '33700000000', accepted: false },
    { row: 'D91', msisdn: '33123456789', accepted: false },
    // A prefix that the library does not know.
    { row: 'D91', msisdn: '237610000001', accepted: true },
    // Numbers that can be mobile by the numbering tables of the library.
    { row: 'D91', msisdn: '237242000000', accepted: true },
    { row: 'D91', msisdn: '12025550123', accepted: true },
    { row: 'S42', msisdn: '+237 6 70 00 00 01', accepted: true },
    { row: 'SIG03', msisdn: '237abc67000', accepted: false },
    { row: 'SIG03', msisdn: '2376700000010000000', accepted: false },
    { row: 'SIG04 D109', msisdn: '33899123456', accepted: false, reason: 'number-premium' },
  ])('$row: $msisdn is accepted: $accepted', async ({ msisdn, accepted, reason = 'contact-refused' }) => {
    server = await startTestServer()
    const answer = await openBrowser(server).call('auth', { body: { msisdn, email: '' } })
    if (accepted) expect(bodyOf(answer).data.statusCode).toBe(0)
    else expect(answer).toMatchObject({ kind: 'failed', status: 400, failure: { reason } })
    expect(await server.outbox.messages()).toHaveLength(accepted ? 1 : 0)
  })

  it.each([
    { row: 'SIG08', email: `${'a'.repeat(39)}@example.c`, accepted: false },
    { row: 'SIG09', email: `${'a'.repeat(38)}@example.cm`, accepted: true },
    { row: 'SIG09', email: `${'a'.repeat(39)}@example.cm`, accepted: false },
    { row: 'SIG08', email: 'awa.example.cm', accepted: false },
    { row: 'SIG08', email: '', accepted: false },
  ])('$row: $email is accepted: $accepted', async ({ email, accepted }) => {
    server = await startTestServer()
    const answer = await openBrowser(server).call('auth', { body: { msisdn: '', email } })
    expect(answer.kind).toBe(accepted ? 'ok' : 'failed')
  })

  it('gets the same answer whether or not it is known', async () => {
    server = await startTestServer()
    await signIn(server, { phone })
    const known = await openBrowser(server).call('auth', { body: contactBody })
    const unknown = await openBrowser(server).call('auth', { body: { msisdn: '237670000009', email: '' } })
    expect(known).toMatchObject({ kind: 'ok', body: { data: { statusCode: 0 } } })
    expect(unknown).toMatchObject({ kind: 'ok', body: { data: { statusCode: 0 } } })
    expect(bodyOf(unknown)).toEqual(bodyOf(known))
    expect(Object.keys(known.headers).toSorted()).toEqual(Object.keys(unknown.headers).toSorted())
  })
})

describe('the access token', () => {
  it('contains msisdn, email, applicantId, exp, iat and inactivity (SES03, S78)', async () => {
    server = await startTestServer({ env: { INACTIVITY_SECONDS: '240', TOKEN_LIFETIME_SECONDS: '120' } })
    const { token, applicantId } = await signIn(server, { phone })
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { exp, iat, ...rest } = TokenClaims.parse(claims)
    expect(rest).toEqual({ msisdn: phone, email: '', applicantId, inactivity: 240 })
    expect(exp - iat).toBe(120)
    expect(Object.keys(claims ?? {}).toSorted()).toEqual(
      ['applicantId', 'aud', 'email', 'exp', 'iat', 'inactivity', 'iss', 'msisdn', 'sid'].toSorted(),
    )
  })

  it('is refused after it has expired', async () => {
    server = await startTestServer()
    const applicant = await signIn(server, { phone })
    await server.advanceSeconds(901)
    expect(await applicant.call('listApplications')).toMatchObject({ kind: 'failed', status: 401 })
  })

  it.each([
    ['an unsigned one', (token: string) => `${forge({ alg: 'none' }, token)}.`],
    [
      'one with a made-up signature',
      (token: string) => `${token.split('.').slice(0, 2).join('.')}.${'A'.repeat(43)}`,
    ],
    [
      'one with other claims',
      (token: string) => `${forge({ alg: 'HS256' }, token)}.${token.split('.')[2] ?? ''}`,
    ],
    ['the beginning of one', (token: string) => token.slice(0, 40)],
  ])('is refused when it is %s', async (_, bend) => {
    server = await startTestServer()
    const { token } = await signIn(server, { phone })
    const answer = await openBrowser(server, bend(token)).call('listApplications')
    expect(answer).toMatchObject({ kind: 'failed', status: 401, failure: { reason: 'not-signed-in' } })
  })
})

function forge(header: object, token: string): string {
  const claims: object = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return `${encode(header)}.${encode({ ...claims, applicantId: crypto.randomUUID() })}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
