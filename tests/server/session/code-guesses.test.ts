import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { checkCode, triesPerCode } from '#server/features/session/check-code.ts'
import { sendCode } from '#server/features/session/send-code.ts'
import { readContact } from '#server/features/session/contact.ts'
import { binomialBound } from '#support/checks/binomial.ts'
import { openBrowser } from '#support/servers/api-client.ts'
import { isFullRun } from '#support/test-tier.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

const named = { msisdn: '237670000001', email: '' }
const minutes = 60_000

describe.each(['pglite', 'postgresql'] as const)('fifty guesses of a code at once on %s', database => {
  it('share five tries, and the right code among the others does not sign in', async () => {
    server = await startTestServer({ database })
    const browser = openBrowser(server)
    await browser.call('auth', { body: named })
    const otp = await server.outbox.codeFor(named.msisdn)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        browser.call('login', { body: { ...named, otp: otherCode(otp, index) } }),
      ),
    )
    const codes = answers.map(answer => (answer.kind === 'failed' ? answer.failure.statusCode : 0))
    const wrong = codes.filter(code => code === 1).length
    // The fifth try expires the code, so a try at the same time may find it expired.
    expect(wrong).toBeGreaterThanOrEqual(1)
    expect(wrong).toBeLessThanOrEqual(triesPerCode)
    expect(codes.filter(code => code === 2)).toHaveLength(50 - wrong)
    expect(await browser.call('login', { body: { ...named, otp } })).toMatchObject({
      kind: 'failed',
      failure: { statusCode: 2 },
    })
  })

  it('sign in once when all are right', async () => {
    server = await startTestServer({ database })
    const browser = openBrowser(server)
    await browser.call('auth', { body: named })
    const otp = await server.outbox.codeFor(named.msisdn)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.call('login', { body: { ...named, otp } })),
    )
    expect(answers.filter(answer => answer.kind === 'ok')).toHaveLength(1)
    const rows = await server.services.db.selectFrom('applicant').select('id').execute()
    expect(rows).toHaveLength(1)
  })

  it('share five tries when two codes are unexpired', async () => {
    server = await startTestServer({ database, env: { OTP_TTL_SECONDS: '300' } })
    const browser = openBrowser(server)
    await browser.call('auth', { body: named })
    const first = await server.outbox.codeFor(named.msisdn)
    await server.advanceSeconds(61)
    await browser.call('auth', { body: named })
    const second = await server.outbox.codeFor(named.msisdn)
    const guesses = Array.from({ length: 50 }, (_, index) => otherCode(first, index)).filter(
      guess => guess !== second,
    )
    const answers = await Promise.all(
      guesses.map(guess => browser.call('login', { body: { ...named, otp: guess } })),
    )
    const wrong = answers.filter(answer => answer.kind === 'failed' && answer.failure.statusCode === 1)
    expect(wrong.length).toBeLessThanOrEqual(triesPerCode)
    for (const otp of [first, second])
      expect((await browser.call('login', { body: { ...named, otp } })).kind).toBe('failed')
  })
})

describe('the lifetime of a code', () => {
  it.each([
    [-1, 'ok'],
    [1, 'failed'],
  ] as const)('to the second: %i s from its end it is %s', async (seconds, outcome) => {
    server = await startTestServer({ env: { OTP_TTL_SECONDS: '300' } })
    const browser = openBrowser(server)
    await browser.call('auth', { body: named })
    const otp = await server.outbox.codeFor(named.msisdn)
    await sql`update one_time_code set
      expires_at = now() + (expires_at - sent_at) - make_interval(secs => ${300 + seconds})`.execute(
      server.services.db,
    )
    expect((await browser.call('login', { body: { ...named, otp } })).kind).toBe(outcome)
  })
})

describe('unlimited guesses', () => {
  const size = isFullRun
    ? { accounts: 1_000, codes: 10, guesses: 100 }
    : { accounts: 40, codes: 10, guesses: 12 }
  const total = size.accounts * size.codes * size.guesses

  it(
    `${total} over ${size.accounts} accounts, all codes of a day: five tries each, hits as by chance`,
    { timeout: (isFullRun ? 60 : 10) * minutes },
    async () => {
      server = await startTestServer({ env: { OTP_TTL_SECONDS: '600', SMS_BUDGET_HOME: '1000000' } })
      const accounts = Array.from({ length: size.accounts }, (_, index) => accountOf(index))
      const tally = { compared: 0, hits: 0 }
      for (let round = 0; round < size.codes; round += 1) {
        for (const account of accounts) {
          expect(await sendCode(server.services, account)).toBeUndefined()
          const compared = await tryCodes(account, size.guesses)
          // A right guess signs in and uses the code, and with it the remaining tries.
          if (compared.hits === 0) expect(compared.tries).toBe(triesPerCode)
          else expect(compared.tries).toBeLessThanOrEqual(triesPerCode)
          tally.compared += compared.tries
          tally.hits += compared.hits
        }
        // The largest number of codes that the limits allow: five per hour.
        await sql`update one_time_code set
          sent_at = sent_at - interval '721 seconds',
          expires_at = expires_at - interval '721 seconds'`.execute(server.services.db)
        await sql`delete from outbox`.execute(server.services.db)
      }
      // Two codes may be unexpired, so one guess has two chances in a million.
      const bound = isFullRun
        ? binomialBound(tally.compared, 2e-6, 0.999)
        : binomialBound(tally.compared, 2e-6)
      expect(tally.hits).toBeLessThanOrEqual(bound)
    },
  )

  it('face codes that are evenly distributed', async () => {
    server = await startTestServer({ env: { SMS_BUDGET_HOME: '1000000' } })
    const sent = isFullRun ? 2_000 : 500
    for (let index = 0; index < sent; index += 1) await sendCode(server.services, accountOf(index))
    const messages = await server.outbox.messages()
    const digits = Array.from({ length: 10 }, () => 0)
    for (const digit of messages.map(message => message.code ?? '').join(''))
      digits[Number(digit)] = (digits[Number(digit)] ?? 0) + 1
    const expected = (sent * 6) / 10
    const chiSquare = digits.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0)
    expect(messages.every(message => /^\d{6}$/.test(message.code ?? ''))).toBe(true)
    // 9 degrees of freedom: a fair source exceeds this value once in 1,000 million runs.
    expect(chiSquare).toBeLessThan(62)
  })

  it('succeed no more often than the binomial distribution predicts', () => {
    expect(binomialBound(1_000_000, 1e-6, 0.999)).toBe(5)
    expect(binomialBound(10, 0.5, 0.999)).toBe(9)
    expect(binomialBound(50_000, 2e-6, 0.999)).toBe(2)
    expect(binomialBound(2_000, 2e-6)).toBe(3)
  })
})

type Account = Parameters<typeof sendCode>[1]

function accountOf(index: number): Account {
  const contact = readContact({ msisdn: `2376700${String(index).padStart(5, '0')}`, email: '' })
  if (!contact) throw new Error('The number is invalid.')
  return { contact, browser: `browser-${index}`, address: '127.0.0.1', language: 'fr', otherChannel: false }
}

/** Counts the guesses that were compared with a code, and the right ones. */
async function tryCodes(account: Account, times: number): Promise<{ tries: number; hits: number }> {
  const counted = { tries: 0, hits: 0 }
  for (let guessed = 0; guessed < times; guessed += 1) {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const checked = await checkCode(server.services, { ...account, code })
    if (checked.kind === 'right') counted.hits += 1
    if (checked.kind === 'right' || checked.problem === 'code-wrong') counted.tries += 1
  }
  return counted
}

function otherCode(code: string, step: number): string {
  return String((Number(code) + 1 + step) % 1_000_000).padStart(6, '0')
}
