import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { columnIsContact } from '#server/database/contact-values.ts'
import { subjectOf } from '#server/features/session/security-events.ts'
import { codesPerDayFromNetwork } from '#server/features/session/send-limit-rule.ts'
import { reserveShare } from '#server/features/session/code-budget.ts'
import { triesPerCode } from '#server/features/session/code-check-rule.ts'
import { joinPortal } from '#support/servers/portal.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { type Attack, openBrowserOf, repeat, startAttack } from './attack.ts'
import { openBystanders } from './bystanders.ts'
import { type Cluster, openCluster } from './cluster.ts'
import type { HttpClient } from './http-client.ts'
import {
  byEmail,
  byPhone,
  type Contact,
  createVisitors,
  type Person,
  requestCode,
  type Visitors,
} from './visitor.ts'

/** Codes of a day by SMS and by e-mail: small, so that an attack can spend them. */
const budget = 300
/** Above this part only contacts with an account get codes (D91). */
const openBudget = Math.ceil(budget * reserveShare)
/** No test of this file takes longer, on a busy machine too. */
const longestTestMs = 300_000

let cluster: Cluster
let visitors: Visitors
let attack: Attack

beforeAll(async () => {
  cluster = await openCluster({
    environment: {
      SMS_BUDGET_HOME: String(budget),
      EMAIL_BUDGET: String(budget),
      // This process must solve the puzzles of hundreds of browsers.
      CAPTCHA_WORK: '10',
      OTP_TTL_SECONDS: '300',
    },
  })
  visitors = createVisitors(cluster)
})
afterAll(() => cluster?.close())
beforeEach(async () => {
  await passMidnight()
  await sql`delete from usage_count`.execute(cluster.db)
  attack = startAttack(cluster, await openBystanders(cluster, visitors))
  return () => attack.close()
}, 2 * longestTestMs)

/** The attacker has one IPv6 network with 65,536 subnets, and a few IPv4 networks. */
const attackerAddress = (index: number) =>
  index % 2 === 0 ? `2001:db8:66:${index.toString(16)}::1` : `198.18.${index % 8}.${1 + (index % 250)}`
/** Each person has another network. */
const homeAddress = (index: number) => `41.202.${index}.7`

function personOf(index: number, hasAccount: boolean): Person {
  const number = String(index).padStart(4, '0')
  return { phone: `23767000${number}`, email: `person-${number}@example.cm`, hasAccount }
}

describe('an attacker who spends the SMS of a country from many networks', () => {
  it('makes the service pay for a bounded number of SMS, and locks no applicant out (D91)', async () => {
    const owners = await openAccounts(10)
    const spentBefore = await codesOfThisTest('sms 237')
    const numbers = Array.from({ length: 500 }, (_, index) => `23765${String(index).padStart(7, '0')}`)
    const buying = repeat({ times: numbers.length, atOnce: 12 }, index =>
      requestCode(attack.browser(attackerAddress(index)), byPhone(numbers[index] ?? '')),
    )
    const during = await signInAll(owners, 0)
    await buying
    const after = await signInAll(owners, 20)

    const bought = (await codesOfThisTest('sms 237')) - spentBefore
    const delivered = numbers.filter(number => cluster.gateway.codes.has(number)).length
    const lockedOut = during.lockedOut + after.lockedOut
    await attack.printAndExpectNoLockout('SMS as a switch-off', {
      smsBought: delivered,
      smsOfTheDay: bought + spentBefore,
      lockedOut,
    })
    expect(after).toMatchObject({ sms: 20, email: 10 })
    expect(delivered).toBeLessThanOrEqual(openBudget)
    expect(delivered).toBeGreaterThan(0)
    expect(bought + spentBefore).toBeLessThanOrEqual(budget)
    expect(attack.figures).toMatchObject({ failed: 0, withoutRetryAfter: 0 })
  })
})

describe('an attacker who requests codes for the contact of an owner', () => {
  it('gets few codes; the owner signs in with a known browser, and with a new one after a puzzle (D90)', async () => {
    const [owner] = await openAccounts(1, 40)
    if (!owner) throw new Error('There is no owner')
    const contact = byPhone(owner.person.phone)
    for (let tried = 0; tried < 60; tried += 1) {
      await requestCode(attack.browser(attackerAddress(2 * tried)), contact)
      await ageCodes(61)
    }
    const sent = await codesSentTo(owner.person.phone)
    const known = await visitors.signIn(owner.browser, contact)
    await ageCodes(61)
    const other = openBrowserOf(cluster, homeAddress(41))
    const demand = await other.send('POST', '/auth?lg=fr', { body: JSON.stringify(contact) })
    const fresh = await visitors.signIn(other, contact)
    const lockedOut = [known, fresh].filter(session => session?.applicantId !== owner.applicantId).length
    await attack.printAndExpectNoLockout('codes for an owner', { codesSent: sent - 1, lockedOut })
    expect(demand?.body).toMatchObject({ statusCode: 3, data: { work: 4 } })
    // One code is the owner's own.
    expect(sent - 1).toBeLessThanOrEqual(codesPerDayFromNetwork)
    expect(attack.figures.failed).toBe(0)
  })
})

describe('an attacker who guesses codes at all processes', () => {
  it('has no more guesses compared with a code than the budgets allow, and hits by chance only (D91)', async () => {
    const victims = Array.from({ length: 700 }, (_, index) => victimOf(index))
    let hits = 0
    await repeat({ times: victims.length, atOnce: 12 }, async index => {
      const contact = victims[index] ?? victimOf(index)
      const browser = attack.browser(attackerAddress(index))
      await requestCode(browser, contact)
      // More than the code allows, at once: nginx spreads them over the processes.
      await repeat({ times: triesPerCode + 2, atOnce: 4 }, async guess => {
        const digits = contact.email === '' ? 6 : 8
        const otp = String((index * 7_919 + guess * 104_729) % 10 ** digits).padStart(digits, '0')
        const answer = await browser.send('POST', '/login?lg=fr', {
          body: JSON.stringify({ ...contact, otp }),
        })
        if (answer?.status === 200) hits += 1
      })
    })
    const codes = (await codesOfThisTest('sms 237')) + (await codesOfThisTest('email'))
    const compared = await guessesCompared(victims)
    await attack.printAndExpectNoLockout('guessed codes', {
      guesses: victims.length * (triesPerCode + 2),
      compared,
      codes,
      hits,
    })
    expect(codes).toBeLessThanOrEqual(2 * openBudget)
    expect(compared).toBeLessThanOrEqual(triesPerCode * codes)
    expect(compared).toBeGreaterThan(codes)
    // Even with all tries of each code, 1,200 guesses among a million codes by SMS hit once in 800 runs; two hits are not
    // chance.
    expect(hits).toBeLessThanOrEqual(1)
    expect(attack.figures.failed).toBe(0)
  })
})

/** Each day has a new budget. So a test during which midnight could come begins after midnight. */
async function passMidnight(): Promise<void> {
  const { rows } = await sql<{ leftMs: number }>`
    select (1000 * extract(epoch from date_trunc('day', now()) + interval '1 day' - now()))::integer as "leftMs"`.execute(
    cluster.db,
  )
  const leftMs = rows[0]?.leftMs ?? 0
  if (leftMs < longestTestMs) await pause(leftMs + 1_000)
}

function victimOf(index: number): Contact {
  return index % 2 === 0 ? byEmail(`victim-${index}@example.cm`) : byPhone(`23765${5_000_000 + index}`)
}

type Owner = { person: Person; browser: HttpClient; applicantId: string }

/** People who have signed in before, each in their own browser. */
async function openAccounts(count: number, first = 0): Promise<Owner[]> {
  const owners: Owner[] = []
  for (let index = first; index < first + count; index += 1) {
    const person = personOf(index, true)
    const browser = openBrowserOf(cluster, homeAddress(index))
    const session = await visitors.signIn(browser, byPhone(person.phone))
    if (!session) throw new Error('A first sign-in was refused')
    owners.push({ person, browser, applicantId: session.applicantId })
  }
  return owners
}

/** The owners sign in again in their own browsers and in new ones, and as many people come for the first time. */
async function signInAll(owners: readonly Owner[], firstNew: number) {
  const counts = { sms: 0, email: 0, lockedOut: 0 }
  for (const [index, { person, browser }] of owners.entries()) {
    const newBrowser = openBrowserOf(cluster, homeAddress(100 + firstNew + index))
    const newcomer = personOf(100 + firstNew + index, false)
    for (const [from, who] of [
      [browser, person],
      [newBrowser, person],
      [openBrowserOf(cluster, homeAddress(150 + firstNew + index)), newcomer],
    ] as const) {
      const session = await visitors.signInAs(from, who)
      counts[session?.channel ?? 'lockedOut'] += 1
    }
    // People do not all come at once.
    await pause(200)
  }
  return counts
}

/** Codes that were counted for a channel since the test began. */
async function codesOfThisTest(key: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::integer as count from usage_count where key = ${key}`.execute(cluster.db)
  return rows[0]?.count ?? 0
}

async function codesSentTo(phone: string): Promise<number> {
  const { db } = await servicesOn(cluster.db)
  const { count } = await db
    .selectFrom('one_time_code')
    .innerJoin('challenge', 'challenge.id', 'one_time_code.challenge_id')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(columnIsContact('challenge.value', phone))
    .executeTakeFirstOrThrow()
  return count
}

/** Each wrong guess that a process has compared with a code is a security event. Contacts that got no code do not count. */
async function guessesCompared(victims: readonly Contact[]): Promise<number> {
  const services = await servicesOn(cluster.db)
  const mailed = new Set(
    joinPortal(cluster)
      .messages()
      .map(({ to }) => to),
  )
  const subjects = victims
    .filter(({ msisdn, email }) => cluster.gateway.codes.has(msisdn) || mailed.has(email))
    .map(({ msisdn, email }) =>
      subjectOf(services, email === '' ? { kind: 'phone', value: msisdn } : { kind: 'email', value: email }),
    )
  const { count } = await cluster.db
    .selectFrom('security_event')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('kind', '=', 'code-wrong')
    .where('subject', 'in', subjects)
    .executeTakeFirstOrThrow()
  return count
}

/** Makes all codes older, so that the minute between two codes has passed. They stay within the day of the limits. */
async function ageCodes(seconds: number): Promise<void> {
  await sql`update one_time_code set sent_at = sent_at - make_interval(secs => ${seconds})`.execute(
    cluster.db,
  )
}
