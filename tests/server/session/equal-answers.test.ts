import { afterEach, describe, expect, it } from 'vitest'
import { binomialBound } from '#support/checks/binomial.ts'
import { type Answered, bodyOf, openBrowser, signIn, type TestBrowser } from '#support/servers/api-client.ts'
import { addSecondContact } from '#support/servers/prove-contact.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { medianOf } from '#support/checks/quantile.ts'
import { recordStatements } from '#support/servers/statements.ts'
import { isFullRun } from '#support/test-tier.ts'

let server: TestServer
afterEach(() => server.close())

const phone = (index: number) => `23767100${String(index).padStart(4, '0')}`
const email = (index: number) => `person-${index}@example.cm`

/**
 * Number of known contacts, each of an applicant who signed in once, and of unknown contacts to compare them with. With 20,
 * the sign test fails when one of the two calls is the slower one in 80 of 100 pairs.
 */
const applicantCount = isFullRun ? 60 : 20
/**
 * Each contact has an index. The known contact of a pair has an index of this list; the unknown contact has that index
 * plus 1,000. In the test of F6, "known" means that the number has a second contact.
 */
const knownIndexes = Array.from({ length: applicantCount }, (_, index) => index)

/** A contact, as the calls of the sign-in have it in their bodies. */
type ContactBody = { msisdn: string; email: string }
const byPhone = (index: number): ContactBody => ({ msisdn: phone(index), email: '' })
const byEmail = (index: number): ContactBody => ({ msisdn: '', email: email(index) })

describe.each([
  ['a phone', byPhone],
  ['an e-mail', byEmail],
])('a sign-in call with %s', (what, contactOf) => {
  it('does not reveal in its answer, its work or its time whether the contact is known (D20)', async () => {
    server = await startTestServer()
    for (const index of knownIndexes) {
      const { msisdn, email: address } = contactOf(index)
      await signIn(server, msisdn === '' ? { email: address } : { phone: msisdn })
    }
    await expectEqual(`code for ${what}`, contactOf, (browser, body) => browser.call('auth', { body }))
    // An attacker guesses the code in a browser that requested none.
    await expectEqual(`guess for ${what}`, contactOf, (browser, body) =>
      browser.call('login', { body: { ...body, otp: '123456' } }),
    )
  })
})

it('does not reveal whether a number has a second contact (F6)', async () => {
  server = await startTestServer()
  for (const index of knownIndexes) {
    const applicant = await signIn(server, { phone: phone(index) })
    const [by, added] = [{ phone: phone(index) }, { msisdn: '', email: email(index) }]
    bodyOf(await addSecondContact(server, applicant, { by, added }))
    await signIn(server, { phone: phone(index + 1_000) })
  }
  await expectEqual('code by the other channel', byPhone, (browser, body) =>
    browser.call('auth', { body: { ...body, otherChannel: true } }),
  )
  const toAddresses = (await server.outbox.messages()).filter(
    ({ channel, kind }) => channel === 'email' && kind === 'otp',
  )
  expect(toAddresses.length).toBeGreaterThanOrEqual(2 * applicantCount)
})

/** Largest accepted difference of the two median times. A busy machine may exceed it: then the test measures again. */
const maxDifferencePercent = 20
const maxRounds = 5

/**
 * Expects exactly equal answers and work for a known and an unknown contact, and similar times. When the median times
 * differ too much in every round, a sign test decides: of two equal calls, each is the slower one with probability 1/2
 * on any machine. Equal calls fail one sign test with a probability of at most 2 in 1,000 million.
 */
async function expectEqual(
  subject: string,
  contactOf: (index: number) => ContactBody,
  ask: Ask,
): Promise<void> {
  const pairs = { all: 0, knownSlower: 0 }
  for (let round = 0; round < maxRounds; round += 1) {
    // A contact may request a code once a minute and a few times an hour, so each round is 1,000 s after the last one.
    await server.advanceSeconds(1_000)
    const { known, unknown } = await compare(contactOf, ask)
    expect(known.answers).toEqual(unknown.answers)
    expect(known.work).toEqual(unknown.work)
    const differencePercent = percentSlower(known.times, unknown.times)
    report(subject, { known, unknown, differencePercent })
    if (Math.abs(differencePercent) <= maxDifferencePercent) return
    pairs.all += applicantCount
    pairs.knownSlower += known.times.filter((time, index) => time > (unknown.times[index] ?? 0)).length
  }
  const slowerCount = Math.max(pairs.knownSlower, pairs.all - pairs.knownSlower)
  expect(slowerCount, `${subject}: ${JSON.stringify(pairs)}`).toBeLessThanOrEqual(
    binomialBound(pairs.all, 0.5),
  )
}

/** Returns by how many percent the median of the first times is longer than the median of the second times. */
function percentSlower(first: readonly number[], second: readonly number[]): number {
  return Math.round((medianOf(first) / medianOf(second) - 1) * 100)
}

/** For each call: the visible answer, the kinds of its database statements, and its time in milliseconds. */
type Measured = { answers: object[]; work: string[][]; times: number[] }
type Ask = (browser: TestBrowser, body: ContactBody) => Promise<Answered<'auth' | 'login'>>

/** Alternates the two calls and their order, so that a machine that slows down slows both. */
async function compare(
  contactOf: (index: number) => ContactBody,
  ask: Ask,
): Promise<{ known: Measured; unknown: Measured }> {
  const recorded = recordStatements(server)
  const measured = { known: nothingMeasured(), unknown: nothingMeasured() }
  for (const index of knownIndexes) {
    const pair = [
      { ask, body: contactOf(index), into: measured.known },
      { ask, body: contactOf(index + 1_000), into: measured.unknown },
    ]
    for (const each of index % 2 === 0 ? pair : pair.toReversed()) await measure(recorded, each)
  }
  return measured
}

async function measure(
  recorded: ReturnType<typeof recordStatements>,
  { ask, body, into }: { ask: Ask; body: ContactBody; into: Measured },
): Promise<void> {
  const browser = openBrowser(recorded.server)
  recorded.takeKinds()
  const started = performance.now()
  const answer = await ask(browser, body)
  into.times.push(performance.now() - started)
  into.work.push(recorded.takeKinds())
  into.answers.push(visibleOf(answer))
}

function nothingMeasured(): Measured {
  return { answers: [], work: [], times: [] }
}

/** Returns what a client sees of a response. Of the headers only the names, because the date and the cookie differ. */
function visibleOf(answer: Answered<'auth' | 'login'>): object {
  const headers = Object.keys(answer.headers).toSorted()
  return answer.kind === 'ok'
    ? { status: answer.status, headers, body: answer.body }
    : { status: answer.status, headers, body: answer.failure }
}

function report(
  subject: string,
  { known, unknown, differencePercent }: { known: Measured; unknown: Measured; differencePercent: number },
): void {
  const [knownMs, unknownMs] = [medianOf(known.times).toFixed(2), medianOf(unknown.times).toFixed(2)]
  process.stdout.write(
    `${subject}: median ${knownMs} ms known, ${unknownMs} ms unknown, ${differencePercent} %\n`,
  )
}
