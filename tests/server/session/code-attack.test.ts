import { afterEach, describe, expect, it } from 'vitest'
import { CodeAnswer } from '#contract/session.ts'
import { codesPerDayFromNetwork, codesPerDayToContact } from '#server/features/session/send-limit-rule.ts'
import { openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { solvePuzzle } from '#support/providers/puzzle.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'

let server: TestServer
afterEach(() => server.close())

async function start(env: Record<string, string>): Promise<void> {
  server = await startTestServer({
    offices: 'none',
    env: { CAPTCHA: 'altcha', CAPTCHA_WORK: '10', TRUSTED_PROXIES: 'loopback', ...env },
  })
}

type Asking = { from?: string; browser?: TestBrowser; captchaAnswer?: string }

/**
 * Requests a code for a number or an address. Returns the data that the portal reads. `statusCode` 0: accepted; 3: captcha
 * needed; 9: too many codes for the contact; 11: captcha needed because of the network; 12: captcha used or too easy; 409: the
 * budget is spent.
 */
async function ask(contact: string, { from = '41.202.1.1', browser, captchaAnswer }: Asking = {}) {
  const isEmail = contact.includes('@')
  const answer = await (browser ?? openBrowser(server)).call('auth', {
    body: {
      msisdn: isEmail ? '' : contact,
      email: isEmail ? contact : '',
      gRecaptchaResponse: captchaAnswer ?? '',
    },
    headers: { 'x-forwarded-for': from },
  })
  return CodeAnswer.shape.data.parse(answer.kind === 'ok' ? answer.body.data : answer.failure.data)
}

/** Requests a code with a solved puzzle. `work`: how hard the puzzle is; the server may demand a harder one. */
async function askSolving(contact: string, work: number, asking: Asking = {}) {
  const browser = openBrowser(server)
  return ask(contact, { browser, ...asking, captchaAnswer: await solvePuzzle(browser, work) })
}

const homeNumber = (index: number) => `2376700001${String(index).padStart(2, '0')}`
const mail = (index: number) => `person-${index}@example.cm`
const sentTo = async (contact: string) =>
  (await server.outbox.messages()).filter(({ to }) => to === contact).length

describe('the captcha of a network', () => {
  it.each([
    ['/64 networks of one /48', (index: number) => `2001:db8:1:${index.toString(16)}::1`, '2001:db8:2::1'],
    ['addresses of one /24', (index: number) => `41.202.1.${index}`, '41.202.2.1'],
  ])('is demanded when an attacker uses many %s (D69, D91)', async (_, addressOf, neighbour) => {
    await start({ NETWORK_CODES_PER_HOUR: '1' })
    // Without a captcha, one address (or /64) gets one code an hour, and the /24 (or /48) around it gets ten.
    for (let index = 1; index <= 10; index += 1)
      expect(await ask(homeNumber(index), { from: addressOf(index) })).toEqual({ statusCode: 0 })
    expect(await ask(homeNumber(11), { from: addressOf(11) })).toEqual({ statusCode: 11, work: 1 })
    expect(await ask(homeNumber(11), { from: neighbour })).toEqual({ statusCode: 0 })
  })

  it('is demanded from all requests above the limit when they come at once (D91)', async () => {
    await start({ NETWORK_CODES_PER_HOUR: '5' })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(homeNumber(index))))
    expect(answers.filter(({ statusCode }) => statusCode === 0)).toHaveLength(5)
    expect(answers.filter(({ statusCode }) => statusCode === 11)).toHaveLength(25)
  })

  it('becomes harder as the network requests more codes, and an easier puzzle is refused (D91)', async () => {
    await start({ NETWORK_CODES_PER_HOUR: '1' })
    const demanded: unknown[] = []
    for (let index = 0; index < 17; index += 1) {
      const { work = 0 } = await ask(homeNumber(index))
      demanded.push(work)
      const answer = work === 0 ? { statusCode: 0 } : await askSolving(homeNumber(index), work)
      expect(answer).toEqual({ statusCode: 0 })
    }
    expect(demanded).toEqual([0, 1, 1, 1, ...Array.from({ length: 12 }, () => 2), 4])
    expect(await askSolving(homeNumber(20), 2)).toEqual({ statusCode: 12, work: 4 })
    expect(await askSolving(homeNumber(20), 4)).toEqual({ statusCode: 0 })
  })
})

describe('a puzzle', () => {
  it('can have a small number as its solution, so an attacker cannot skip the small numbers (D91)', async () => {
    await start({})
    const solutions: number[] = []
    for (let solved = 0; solved < 60; solved += 1) {
      const answer = Buffer.from(await solvePuzzle(openBrowser(server)), 'base64').toString()
      solutions.push(JSON.parse(answer).solution.counter)
    }
    // Each solution is 1 to 29. All 60 are 10 or more only once in about 5,000 million runs.
    expect(Math.min(...solutions)).toBeLessThan(10)
  })
})

describe('the SMS budget', () => {
  it('demands a captcha from 50 % on, gives codes only to numbers with an account from 80 % on, and does not stop e-mail (D91)', async () => {
    await start({ SMS_BUDGET_HOME: '10' })
    const owner = await signIn(server, { phone: homeNumber(1) })
    await signIn(server, { phone: homeNumber(10) })
    for (let index = 3; index <= 5; index += 1)
      expect(await ask(homeNumber(index))).toEqual({ statusCode: 0 })
    expect(await ask(homeNumber(6))).toEqual({ statusCode: 3, work: 2 })
    expect(await askSolving(homeNumber(6), 1)).toEqual({ statusCode: 12, work: 2 })
    for (const index of [6, 7, 8]) expect(await askSolving(homeNumber(index), 2)).toEqual({ statusCode: 0 })

    expect(await ask(homeNumber(9))).toEqual({ statusCode: 3, work: 4 })
    const unknown = await askSolving(homeNumber(9), 4)
    const known = await askSolving(homeNumber(1), 4)
    expect(unknown).toEqual({ statusCode: 0, message: expect.stringContaining('adresse e-mail') })
    expect(known).toEqual(unknown)
    expect(await sentTo(homeNumber(9))).toBe(0)
    expect(await sentTo(homeNumber(1))).toBe(2)

    expect(await ask(homeNumber(1), { browser: owner })).toEqual(unknown)
    expect(await sentTo(homeNumber(1))).toBe(3)
    for (const contact of [homeNumber(10), homeNumber(11)])
      expect(await openBrowser(server).call('auth', { body: { msisdn: contact, email: '' } })).toMatchObject({
        status: 409,
        failure: { reason: 'sms-spent', message: expect.stringContaining('adresse e-mail') },
      })
    expect(await ask(mail(1))).toEqual({ statusCode: 0 })
  })

  it('keeps its last codes for browsers that have proven the contact, and gives all others the same refusal, with and without an account (D90, D91)', async () => {
    await start({ SMS_BUDGET_HOME: '20', CAPTCHA: 'off' })
    const owner = await signIn(server, { phone: homeNumber(1) })
    for (const index of [2, 3, 4]) await signIn(server, { phone: homeNumber(index) })
    const ownerTooLate = await signIn(server, { phone: homeNumber(5) })
    for (let index = 6; index <= 16; index += 1)
      expect(await ask(homeNumber(index))).toEqual({ statusCode: 0 })
    // From 80 % on a stranger gets codes only to numbers with an account.
    for (const index of [2, 3, 4]) expect(await ask(homeNumber(index))).toMatchObject({ statusCode: 0 })
    expect(await sentTo(homeNumber(4))).toBe(2)

    const [withAccount, without] = await Promise.all([ask(homeNumber(5)), ask(homeNumber(50))])
    expect(withAccount).toMatchObject({ statusCode: 409 })
    expect(without).toEqual(withAccount)
    expect(await sentTo(homeNumber(5))).toBe(1)
    expect(await ask(homeNumber(1), { browser: owner })).toMatchObject({ statusCode: 0 })
    expect(await sentTo(homeNumber(1))).toBe(2)
    expect(await ask(homeNumber(5), { browser: ownerTooLate })).toMatchObject({ statusCode: 409 })
    expect(server.warnings.map(({ message }) => /\d+ % spent|is spent/.exec(message)?.[0])).toEqual([
      '50 % spent',
      '80 % spent',
      '95 % spent',
      'is spent',
    ])
  })

  it('warns the operator at 50 and 80 %, and when it is spent: a budget of ten has no 95 % (D91)', async () => {
    await start({ SMS_BUDGET_HOME: '10', CAPTCHA: 'off' })
    const known = [
      await signIn(server, { phone: homeNumber(1) }),
      await signIn(server, { phone: homeNumber(2) }),
    ]
    for (let index = 3; index <= 9; index += 1) await ask(homeNumber(index))
    const texts = () => server.warnings.map(({ level, message }) => `${level}: ${message.slice(0, 56)}`)
    const soFar = [
      'warn: The daily SMS budget of this country code is 50 % spent.',
      'warn: The daily SMS budget of this country code is 80 % spent.',
    ]
    expect(texts()).toEqual(soFar)
    for (const [index, browser] of known.entries()) await ask(homeNumber(index + 1), { browser })
    expect(texts()).toEqual([...soFar, 'error: The daily SMS budget of this country code is spent. Appl'])
  })
})

describe('the daily budget of codes by e-mail', () => {
  it('gives no code to an address without an account from 80 % on, and leaves SMS open (D91)', async () => {
    await start({ EMAIL_BUDGET: '10', NETWORK_CODES_PER_HOUR: '100' })
    for (let index = 1; index <= 5; index += 1) expect(await ask(mail(index))).toEqual({ statusCode: 0 })
    expect(await ask(mail(6))).toEqual({ statusCode: 3, work: 2 })
    for (const index of [6, 7, 8]) expect(await askSolving(mail(index), 2)).toEqual({ statusCode: 0 })
    expect(await askSolving(mail(9), 4)).toEqual({
      statusCode: 0,
      message: expect.stringContaining('numéro de téléphone'),
    })
    expect(await sentTo(mail(9))).toBe(0)
    expect(await ask(homeNumber(1))).toEqual({ statusCode: 0 })
    expect(server.warnings.map(({ message }) => message.slice(0, 54))).toEqual([
      'The daily budget of codes by e-mail is 50 % spent. Fro',
      'The daily budget of codes by e-mail is 80 % spent. The',
    ])
  })
})

describe('an attacker who requests codes for the number of an applicant', () => {
  it('makes the owner solve a harder puzzle, but does not lock the owner out (D69, D90)', async () => {
    await start({})
    const owner = await signIn(server, { phone: homeNumber(1) })
    await server.advanceSeconds(61)
    for (let sent = 0; sent < 5; sent += 1) {
      const { statusCode, work = 0 } = await ask(homeNumber(1), { from: '197.1.1.1' })
      if (statusCode !== 0)
        expect(await askSolving(homeNumber(1), work, { from: '197.1.1.1' })).toEqual({ statusCode: 0 })
      await server.advanceSeconds(61)
    }
    // Five codes in an hour: a new browser of the owner needs a harder puzzle, but is not refused.
    expect(await ask(homeNumber(1))).toEqual({ statusCode: 3, work: 4 })
    expect(await askSolving(homeNumber(1), 4)).toEqual({ statusCode: 0 })
    // A browser in which the owner has signed in needs a puzzle, but does not wait a minute.
    expect(await ask(homeNumber(1), { browser: owner })).toMatchObject({ statusCode: 3, work: 1 })
    expect(await askSolving(homeNumber(1), 1, { browser: owner })).toEqual({ statusCode: 0 })
  })

  it('gets ten codes a day to the number from one network, and none after the number has had twenty in all (D90)', async () => {
    await start({ CAPTCHA: 'off' })
    const askOften = async (from: string, times: number) => {
      for (let sent = 0; sent < times; sent += 1) {
        expect(await ask(homeNumber(1), { from })).toEqual({ statusCode: 0 })
        await server.advanceSeconds(721)
      }
    }
    const owner = await signIn(server, { phone: homeNumber(1) })
    await askOften('197.1.1.1', codesPerDayFromNetwork)
    expect(await ask(homeNumber(1), { from: '197.1.1.2' })).toMatchObject({ statusCode: 9 })
    // The code of the owner's sign-in is one of the twenty.
    await askOften('41.202.1.1', codesPerDayToContact - codesPerDayFromNetwork - 1)
    expect(await ask(homeNumber(1), { from: '102.1.1.1' })).toMatchObject({ statusCode: 9 })
    expect(await ask(homeNumber(1), { browser: owner })).toEqual({ statusCode: 0 })
  })
})

describe('an attacker who guesses codes', () => {
  it('gets a captcha for the next code after three wrong codes for a contact (D91)', async () => {
    await start({})
    const browser = openBrowser(server)
    expect(await ask(mail(1), { browser })).toEqual({ statusCode: 0 })
    for (const otp of ['a', 'b', 'c']) {
      await browser.call('login', { body: { msisdn: '', email: mail(1), otp } })
      await server.advanceSeconds(10)
    }
    await server.advanceSeconds(61)
    expect(await ask(mail(1), { browser })).toEqual({ statusCode: 3, work: 1 })
  })

  it('gets a captcha for each code after many wrong codes from one network (D91)', async () => {
    await start({ NETWORK_CODES_PER_HOUR: '5' })
    const headers = { 'x-forwarded-for': '197.1.1.1' }
    const browser = openBrowser(server)
    await ask(mail(1), { browser, from: '197.1.1.1' })
    for (let tried = 0; tried < 5; tried += 1) {
      await browser.call('login', { body: { msisdn: '', email: mail(1), otp: 'wrong' }, headers })
      // Ends the wait (D125) in the database: `advanceSeconds` would also move the counts out of the present hour.
      await server.services.db.updateTable('challenge').set({ next_try_at: null }).execute()
    }
    expect(await ask(mail(2), { from: '197.1.1.1' })).toEqual({ statusCode: 11, work: 1 })
    expect(await ask(mail(2), { from: '41.202.1.1' })).toEqual({ statusCode: 0 })
  })
})
