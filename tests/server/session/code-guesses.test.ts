import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { plainHash } from '#server/crypto/keyed-hash.ts'
import { checkCode } from '#server/features/session/check-code.ts'
import { triesPerCode } from '#server/features/session/code-check-rule.ts'
import { sendCode } from '#server/features/session/send-code.ts'
import { readContact } from '#server/features/session/contact.ts'
import { binomialBound } from '#support/checks/binomial.ts'
import { openBrowser } from '#support/servers/api-client.ts'
import { isFullRun, testedEngines } from '#support/test-tier.ts'
import { maxRepeats } from '#server/features/session/refresh.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const signInContact = { msisdn: '237670000001', email: '' }
const minuteMs = 60_000

describe.each(testedEngines)('log-ins on %s', database => {
  it('share five tries with their waits when fifty at once have wrong codes; afterwards the right code is refused too (D125)', async () => {
    server = await startTestServer({ database })
    const browser = openBrowser(server)
    await browser.call('auth', { body: signInContact })
    const otp = await server.outbox.codeFor(signInContact.msisdn)
    const compared: number[] = []
    for (let moment = 0; moment < 5; moment += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          browser.call('login', { body: { ...signInContact, otp: otherCode(otp, index) } }),
        ),
      )
      const codes = answers.map(answer => (answer.kind === 'failed' ? answer.failure.statusCode : 0))
      expect(codes).not.toContain(0)
      compared.push(codes.filter(code => code === 1).length)
      await server.advanceSeconds(10)
    }
    expect(compared).toEqual([2, 1, 1, 1, 0])
    expect(await browser.call('login', { body: { ...signInContact, otp } })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 2 },
    })
  })

  it('open one session when fifty at once have the right code', async () => {
    server = await startTestServer({ database })
    const browser = openBrowser(server)
    await browser.call('auth', { body: signInContact })
    const otp = await server.outbox.codeFor(signInContact.msisdn)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.call('login', { body: { ...signInContact, otp } })),
    )
    // Calls may repeat the sign-in of another, which opens no second session (D21).
    const right = answers.filter(answer => answer.kind === 'ok').length
    expect(right).toBeGreaterThanOrEqual(1)
    expect(right).toBeLessThanOrEqual(1 + maxRepeats)
    for (const table of ['applicant', 'session'] as const)
      expect(await server.services.db.selectFrom(table).select('id').execute()).toHaveLength(1)
  })

  it('share five tries when two codes are unexpired', async () => {
    server = await startTestServer({ database, env: { OTP_TTL_SECONDS: '300' } })
    const browser = openBrowser(server)
    const enter = (otp: string) => browser.call('login', { body: { ...signInContact, otp } })
    await browser.call('auth', { body: signInContact })
    const first = await server.outbox.codeFor(signInContact.msisdn)
    for (let triesLeft = triesPerCode - 1; triesLeft > 0; triesLeft -= 1) {
      const guess = otherCode(first, triesLeft)
      expect(await enter(guess)).toMatchObject({ failure: { statusCode: 1, data: { triesLeft } } })
      await server.advanceSeconds(10)
    }
    await server.advanceSeconds(61)
    await browser.call('auth', { body: signInContact })
    const second = await server.outbox.codeFor(signInContact.msisdn)
    // The second code brings no new tries: the fifth wrong one ends both.
    const guess = otherCode(first, second === otherCode(first, 0) ? 1 : 0)
    expect(await enter(guess)).toMatchObject({ failure: { statusCode: 1, data: { triesLeft: 0 } } })
    for (const otp of [first, second])
      expect(await enter(otp)).toMatchObject({ kind: 'failed', failure: { statusCode: 2 } })
  })
})

describe('the lifetime of a code', () => {
  it.each([
    ['1 s before', 'ok', -1],
    ['1 s after', 'failed', 1],
  ] as const)('ends on time: a log-in %s the end is %s', async (_, outcome, seconds) => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const browser = openBrowser(server)
    await browser.call('auth', { body: signInContact })
    const otp = await server.outbox.codeFor(signInContact.msisdn)
    await sql`update one_time_code set
      expires_at = now() + (expires_at - sent_at) - make_interval(secs => ${300 + seconds})`.execute(
      server.services.db,
    )
    expect((await browser.call('login', { body: { ...signInContact, otp } })).kind).toBe(outcome)
  })
})

describe('an attacker who guesses codes', () => {
  // More accounts or codes would not make the daily run stricter: it allows two hits, even with five times the tries.
  const size = isFullRun
    ? { accounts: 1_000, codes: 10, guesses: 100 }
    : { accounts: 5, codes: 6, guesses: 8 }
  const total = size.accounts * size.codes * size.guesses

  it(
    `gets five tries for each code and no more hits than by chance (${total} guesses, ${size.accounts} accounts)`,
    { timeout: (isFullRun ? 60 : 10) * minuteMs },
    async () => {
      server = await startTestServer({ env: { OTP_TTL_SECONDS: '600', SMS_BUDGET_HOME: '1000000' } })
      const accounts = Array.from({ length: size.accounts }, (_, index) => accountOf(index))
      const totals = { tries: 0, hits: 0 }
      for (let round = 0; round < size.codes; round += 1) {
        for (const account of accounts) {
          expect(await sendCode(server.services, account)).toEqual({ isReserved: false })
          const counted = await tryCodes(account, size.guesses)
          if (counted.hits === 0) expect(counted.tries).toBe(triesPerCode)
          else expect(counted.tries).toBeLessThanOrEqual(triesPerCode)
          totals.tries += counted.tries
          totals.hits += counted.hits
        }
        // Makes the codes 721 s older: the limits allow a code every 720 s, which is five in an hour.
        await sql`update one_time_code set
          sent_at = sent_at - interval '721 seconds',
          expires_at = expires_at - interval '721 seconds'`.execute(server.services.db)
        await sql`delete from outbox`.execute(server.services.db)
      }
      // At most two codes of a browser can be right, so a guess is right with a probability of at most 2 in a million.
      const bound = isFullRun ? binomialBound(totals.tries, 2e-6, 0.999) : binomialBound(totals.tries, 2e-6)
      expect(totals.hits).toBeLessThanOrEqual(bound)
    },
  )

  it.each([
    ['SMS', 6, accountOf],
    ['e-mail', 8, mailAccountOf],
  ] as const)(
    'finds all ten digits equally often in codes by %s, which have %i digits (D124)',
    async (_, length, account) => {
      server = await startTestServer({ env: { SMS_BUDGET_HOME: '1000000', EMAIL_BUDGET: '1000000' } })
      const sent = isFullRun ? 2_000 : 200
      for (let index = 0; index < sent; index += 1) await sendCode(server.services, account(index))
      const messages = await server.outbox.messages()
      const digits = Array.from({ length: 10 }, () => 0)
      for (const digit of messages.map(message => message.code ?? '').join(''))
        digits[Number(digit)] = (digits[Number(digit)] ?? 0) + 1
      const expected = (sent * length) / 10
      const chiSquare = digits.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0)
      expect(messages.every(({ code = '' }) => /^\d+$/.test(code) && code.length === length)).toBe(true)
      // Chi-square with 9 degrees of freedom: equally frequent digits exceed 62 less than once in 1,000 million runs.
      expect(chiSquare).toBeLessThan(62)
    },
  )
})

describe('binomialBound', () => {
  it('returns the bound of the binomial distribution', () => {
    expect(binomialBound(1_000_000, 1e-6, 0.999)).toBe(5)
    expect(binomialBound(10, 0.5, 0.999)).toBe(9)
    expect(binomialBound(50_000, 2e-6, 0.999)).toBe(2)
    expect(binomialBound(2_000, 2e-6)).toBe(3)
    expect(binomialBound(2_000, 0.5)).toBe(1_134)
  })
})

type Account = Parameters<typeof sendCode>[1]

function accountOf(index: number): Account {
  const contact = readContact({ msisdn: `2376700${String(index).padStart(5, '0')}`, email: '' })
  if (!contact) throw new Error('The number is invalid.')
  return {
    contact,
    browser: `browser-${index}`,
    address: '127.0.0.1',
    language: 'fr',
    otherChannel: false,
    isCaptchaSolved: true,
    isKnownBrowser: false,
  }
}

function mailAccountOf(index: number): Account {
  const contact = readContact({ msisdn: '', email: `applicant-${index}@example.cm` })
  if (!contact) throw new Error('The address is invalid.')
  return { ...accountOf(index), contact }
}

/** Checks random codes. Returns how many of them the server compared with a stored code, and how many were right. */
async function tryCodes(account: Account, times: number): Promise<{ tries: number; hits: number }> {
  const counted = { tries: 0, hits: 0 }
  for (let guessed = 0; guessed < times; guessed += 1) {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    // Ends the wait (D125): an attacker who waits long enough gets all five tries.
    if (counted.tries < triesPerCode)
      await server.services.db
        .updateTable('challenge')
        .set({ next_try_at: null })
        .where('browser_hash', '=', plainHash(account.browser))
        .execute()
    const checked = await checkCode(server.services, { ...account, code })
    if (checked.kind === 'right') counted.hits += 1
    if (checked.kind !== 'refused' || checked.problem === 'code-wrong') counted.tries += 1
  }
  return counted
}

/** Returns a wrong code; a different one for each step from 0 to 999,998. */
function otherCode(code: string, step: number): string {
  return String((Number(code) + 1 + step) % 1_000_000).padStart(6, '0')
}
