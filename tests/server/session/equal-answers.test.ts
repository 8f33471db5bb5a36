import { afterEach, describe, expect, it } from 'vitest'
import { binomialBound } from '#support/checks/binomial.ts'
import { type Answered, bodyOf, openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { countStatements, medianOf } from '#support/servers/statements.ts'

let server: TestServer
afterEach(() => server.close())

const phone = (index: number) => `23767100${String(index).padStart(4, '0')}`
const email = (index: number) => `person-${index}@example.cm`

/** Number of applicants who signed in once, and of unknown contacts that the test compares them with. */
const applicantCount = 60
const known = Array.from({ length: applicantCount }, (_, index) => index)

type Named = { msisdn: string; email: string }
const byPhone = (index: number): Named => ({ msisdn: phone(index), email: '' })
const byEmail = (index: number): Named => ({ msisdn: '', email: email(index) })

describe.each([
  ['a phone', byPhone],
  ['an e-mail', byEmail],
])('a sign-in call with %s', (what, nameOf) => {
  it('does not reveal in its answer, its work or its time whether the contact is known (D20)', async () => {
    server = await startTestServer()
    for (const index of known) {
      const { msisdn, email: address } = nameOf(index)
      await signIn(server, msisdn === '' ? { email: address } : { phone: msisdn })
    }
    await expectAlike(`code for ${what}`, nameOf, (browser, body) => browser.call('auth', { body }))
    // A guess by a browser that got no code: the answer that an attacker sees.
    await expectAlike(`guess for ${what}`, nameOf, (browser, body) =>
      browser.call('login', { body: { ...body, otp: '123456' } }),
    )
  })
})

it('does not reveal whether a number has a second contact (F6)', async () => {
  server = await startTestServer()
  for (const index of known) {
    const applicant = await signIn(server, { phone: phone(index) })
    const added = { msisdn: '', email: email(index) }
    bodyOf(await applicant.call('addContact', { body: added }))
    const otp = await server.outbox.codeFor(added.email)
    bodyOf(await applicant.call('confirmContact', { body: { ...added, otp } }))
    await signIn(server, { phone: phone(index + 1_000) })
  }
  await expectAlike('code by the other channel', byPhone, (browser, body) =>
    browser.call('auth', { body: { ...body, otherChannel: true } }),
  )
  const toAddresses = (await server.outbox.messages()).filter(
    ({ channel, kind }) => channel === 'email' && kind === 'otp',
  )
  expect(toAddresses.length).toBeGreaterThanOrEqual(2 * applicantCount)
})

/** Largest difference of the medians, in percent. The test measures again on a busy machine. */
const most = 20
const rounds = 5
let passed = 0

/**
 * Answers and work must be exactly equal. When no round shows equal times, a sign test decides: of two equal calls, each
 * is the slower one with probability 1/2 on any machine. A series outside the limit has a probability of 1 in 1,000
 * million.
 */
async function expectAlike(what: string, nameOf: (index: number) => Named, ask: Ask): Promise<void> {
  const pairs = { all: 0, knownSlower: 0 }
  for (let round = 0; round < rounds; round += 1) {
    // More than a minute, and few enough codes for the hour. Each step differs, so that two windows never coincide.
    await server.advanceSeconds(1_000 + 7 * (passed += 1))
    const { known: one, unknown: other } = await compare(nameOf, ask)
    expect(one.answers).toEqual(other.answers)
    expect(one.work).toEqual(other.work)
    const apart = percentApart(one.times, other.times)
    report(what, { known: one, unknown: other, apart })
    if (Math.abs(apart) <= most) return
    pairs.all += applicantCount
    pairs.knownSlower += one.times.filter((time, index) => time > (other.times[index] ?? 0)).length
  }
  const further = Math.max(pairs.knownSlower, pairs.all - pairs.knownSlower)
  expect(further, `${what}: ${JSON.stringify(pairs)}`).toBeLessThanOrEqual(binomialBound(pairs.all, 0.5))
}

/** Returns by how many percent the first calls take longer. */
function percentApart(first: readonly number[], second: readonly number[]): number {
  return Math.round((medianOf(first) / medianOf(second) - 1) * 100)
}

type Asked = { answers: object[]; work: string[][]; times: number[] }
type Ask = (browser: TestBrowser, body: Named) => Promise<Answered<'auth' | 'login'>>

/** Alternates the two calls and their order, so that a machine that slows down slows both. */
async function compare(
  nameOf: (index: number) => Named,
  ask: Ask,
): Promise<{ known: Asked; unknown: Asked }> {
  const counted = countStatements(server)
  const asked = { known: nothingAsked(), unknown: nothingAsked() }
  for (const index of known) {
    const pair = [
      { ask, body: nameOf(index), into: asked.known },
      { ask, body: nameOf(index + 1_000), into: asked.unknown },
    ]
    for (const each of index % 2 === 0 ? pair : pair.toReversed()) await measure(counted, each)
  }
  return asked
}

async function measure(
  counted: ReturnType<typeof countStatements>,
  { ask, body, into }: { ask: Ask; body: Named; into: Asked },
): Promise<void> {
  const browser = openBrowser(counted.server)
  counted.readCounts()
  const started = performance.now()
  const answer = await ask(browser, body)
  into.times.push(performance.now() - started)
  into.work.push(counted.readCounts())
  into.answers.push(visibleOf(answer))
}

function nothingAsked(): Asked {
  return { answers: [], work: [], times: [] }
}

/** Returns the part of a response that a client sees, without the date and the browser's random cookie. */
function visibleOf(answer: Answered<'auth' | 'login'>): object {
  const headers = Object.keys(answer.headers).toSorted()
  return answer.kind === 'ok'
    ? { status: answer.status, headers, body: answer.body }
    : { status: answer.status, headers, body: answer.failure }
}

function report(
  what: string,
  { known: one, unknown: other, apart }: { known: Asked; unknown: Asked; apart: number },
): void {
  const [mine, unknownContacts] = [medianOf(one.times).toFixed(2), medianOf(other.times).toFixed(2)]
  process.stdout.write(`${what}: median ${mine} ms known, ${unknownContacts} ms unknown, ${apart} %\n`)
}
