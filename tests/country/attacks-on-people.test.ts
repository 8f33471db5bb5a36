import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { dormantMonths, dormantTriesPerDay, dormantTriesPerPeriod } from '#contract/dormant.ts'
import { contactValue } from '#server/database/contact-values.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { type Attack, openBrowserOf, repeat, startAttack } from './attack.ts'
import { openBystanders } from './bystanders.ts'
import { type Cluster, openCluster } from './cluster.ts'
import type { Answer, HttpClient } from './http-client.ts'
import {
  byEmail,
  byPhone,
  type Contact,
  createVisitors,
  requestCode,
  type SignedIn,
  type Visitors,
} from './visitor.ts'

let cluster: Cluster
let visitors: Visitors
let attack: Attack

beforeAll(async () => {
  cluster = await openCluster({
    environment: { CAPTCHA_WORK: '10', OTP_TTL_SECONDS: '300', DATABASE_LOCK_SECONDS: '20' },
  })
  visitors = createVisitors(cluster)
})
afterAll(() => cluster?.close())
beforeEach(async () => {
  attack = startAttack(cluster, await openBystanders(cluster, visitors))
  return () => attack.close()
})

/** Premium numbers and numbers that cannot exist, as dial code and subscriber. */
const refusedNumbers: readonly (readonly [string, string])[] = [
  ['33', '899123456'],
  ['44', '9098790123'],
  ['1', '9002345678'],
  ['49', '9001234567'],
  ['961', '90123456'],
  ['237', '12'],
  ['237', '6'.repeat(13)],
  ['44', '7'.repeat(15)],
]
/** Numbers of other countries that the form accepts, because an applicant may live there. */
const foreignNumbers: readonly (readonly [string, string])[] = [
  ['33', '612345678'],
  ['44', '7400123456'],
  ['234', '8021234567'],
]

describe('an attacker who types numbers that cost money, numbers that cannot exist, or numbers of strangers abroad', () => {
  it('is refused at the field of a number that costs money or cannot exist, and no SMS goes to a number that only a form names (D91, D109)', async () => {
    const accounts = 6
    const outcomes = { atTheNumber: 0, accepted: 0, codesAllowed: 0 }
    await repeat({ times: accounts, atOnce: 3 }, async account => {
      const browser = attack.browser(`198.18.${account}.9`)
      const email = `attacker-${account}@example.cm`
      await storePayer(`23767830000${account}`, email)
      const { token } = await signInWith(browser, byEmail(email))
      const id = await createApplication(browser, token)
      for (const [dialCode, phoneNumber] of refusedNumbers) {
        const answer = await confirmForm(browser, { token, id }, { dialCode, phoneNumber })
        if (fieldsOf(answer).includes('phoneNumber')) outcomes.atTheNumber += 1
        if (answer?.status === 200) outcomes.accepted += 1
        const contact = byPhone(`${dialCode}${phoneNumber}`)
        await browser.send('POST', '/contacts?lg=fr', { token, body: JSON.stringify(contact) })
        if ((await requestCode(browser, contact)).kind !== 'refused') outcomes.codesAllowed += 1
      }
      const [dialCode = '', phoneNumber = ''] = foreignNumbers[account % foreignNumbers.length] ?? []
      const confirmed = await confirmForm(browser, { token, id }, { dialCode, phoneNumber })
      expect(confirmed?.status).toBe(200)
      // The payment sends a notice.
      expect((await payAsKnown(browser, { token, id }))?.status).toBe(200)
    })
    await untilAllSent()
    const typed = [...refusedNumbers, ...foreignNumbers].map(parts => parts.join(''))
    const smsToTypedNumbers = typed.filter(number => cluster.gateway.recipients.has(number)).length
    await attack.printAndExpectNoLockout('numbers typed into the form', { ...outcomes, smsToTypedNumbers })
    expect(outcomes).toEqual({
      atTheNumber: accounts * refusedNumbers.length,
      accepted: 0,
      codesAllowed: 0,
    })
    expect(smsToTypedNumbers).toBe(0)
    expect(attack.figures.failed).toBe(0)
  })
})

describe('a payer of the old system at three processes at once', () => {
  it('pays for one application only, with either contact and account (D96, PAY31)', async () => {
    const payers = 5
    let paid = 0
    for (let payer = 0; payer < payers; payer += 1) {
      const phone = `23767810000${payer}`
      const email = `payer-${payer}@example.cm`
      await storePayer(phone, email)
      const first = await openUnpaid(byPhone(phone), payer)
      const second = await openUnpaid(byEmail(email), payer)
      const answers = await forceRace(cluster.db, {
        lock: sql`select from whitelist for update`,
        actions: [first, second, first].map((who, index) => () => payAsKnown(attack.browserAt(index), who)),
      })
      expect(answers.map(answer => answer?.status).filter(status => status === 200).length).toBeGreaterThan(0)
      // Each application tries to pay once more, one after the other, after the race.
      for (const who of [second, first]) await payAsKnown(attack.browserAt(2), who)
      paid += await countPaid([first.id, second.id])
    }
    await attack.printAndExpectNoLockout('one payer at three processes', { payers, paidApplications: paid })
    expect(paid).toBe(payers)
    expect(attack.figures.failed).toBe(0)
  })
})

describe('a phone number that no code has proven for a year', () => {
  it('opens no session for a new holder with a code or many wrong answers, and the owner can sign in by e-mail (D122)', async () => {
    const owners = 3
    const counts = { sessionsOfHolder: 0, compared: 0, answers: 0, lockedOut: 0 }
    for (let owner = 0; owner < owners; owner += 1) {
      const account = await openRecycled(owner)
      const { ticket, processes } = await takeNumber(account.phone, owner)
      const before = await countEvents('answer-wrong')
      // 36 dates of birth, all with a wrong year: more tries than a contact has in one day.
      await repeat({ times: 36, atOnce: 12 }, async index => {
        const day = { day: String(1 + (index % 28)), month: String(1 + (index % 12)), year: '1971' }
        const body = answerOf(ticket, account.number, day)
        const answer = await processes[index % processes.length]?.send('POST', '/login/dormant?lg=fr', {
          body,
        })
        counts.answers += 1
        if (answer?.status === 200) counts.sessionsOfHolder += 1
      })
      counts.compared += (await countEvents('answer-wrong')) - before
      const own = await visitors.signIn(account.browser, byEmail(account.email))
      if (own?.applicantId !== account.applicantId) counts.lockedOut += 1
    }
    await attack.printAndExpectNoLockout('a recycled number', { owners, ...counts })
    expect(counts.sessionsOfHolder).toBe(0)
    // When midnight comes during the test, each contact also has the tries of the next day.
    expect(counts.compared).toBeGreaterThanOrEqual(owners * dormantTriesPerDay)
    expect(counts.compared).toBeLessThanOrEqual(owners * dormantTriesPerPeriod)
    expect(attack.figures.failed).toBe(0)
  })

  it('opens one session for the right answer, also when three processes get this answer at once (D21, D122)', async () => {
    const races = 3
    const sessions: number[] = []
    for (let race = 0; race < races; race += 1) {
      const account = await openRecycled(10 + race)
      const before = await countSessions(account.applicantId)
      const { ticket, processes } = await takeNumber(account.phone, 10 + race)
      const { dayOfBirth: day, monthOfBirth: month, yearOfBirth: year } = firstPassport
      const body = answerOf(ticket, account.number, { day, month, year })
      await forceRace(cluster.db, {
        lock: sql`select from one_time_code order by id desc limit 1 for update`,
        actions: processes.map(each => () => each.send('POST', '/login/dormant?lg=fr', { body })),
      })
      sessions.push((await countSessions(account.applicantId)) - before)
    }
    await attack.printAndExpectNoLockout('a right answer at once', {
      races,
      mostSessions: Math.max(...sessions),
    })
    expect(sessions).toEqual(Array.from({ length: races }, () => 1))
  })
})

async function signInWith(browser: HttpClient, contact: Contact): Promise<SignedIn> {
  const session = await visitors.signIn(browser, contact)
  if (!session) throw new Error('A first sign-in was refused')
  return session
}

async function createApplication(browser: HttpClient, token: string): Promise<string> {
  return String(dataOf(await browser.send('POST', '/applications?lg=fr', { token, body: '{}' }))['id'])
}

type Unpaid = { token: string; id: string }

function confirmForm(
  browser: HttpClient,
  { token, id }: Unpaid,
  answers: Partial<typeof firstPassport> = {},
): Promise<Answer | undefined> {
  const body = JSON.stringify(toWire({ ...firstPassport, ...answers }))
  return browser.send('POST', `/applications/${id}/confirmData?lg=fr`, { token, body })
}

function dataOf(answer: Answer | undefined): Record<string, unknown> {
  const data = answer?.body['data']
  if (typeof data !== 'object' || data === null) throw new Error(`No data: ${JSON.stringify(answer)}`)
  return { ...data }
}

/** The fields that a refusal names. */
function fieldsOf(answer: Answer | undefined): unknown[] {
  const errors = answer?.body['errors']
  return Array.isArray(errors) ? errors.map(error => Object(error).field) : []
}

/** Waits until the server has sent all messages, or given them up. */
async function untilAllSent(): Promise<void> {
  // Only a margin: the transaction of a payment also stores its notice.
  await pause(500)
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*)::integer as waiting from outbox
          where sent_at is null and failed_at is null`.execute(cluster.db)
        return rows[0]?.waiting
      },
      { timeout: 60_000 },
    )
    .toBe(0)
}

/** One payment in the old system, whose payer has a phone number and an e-mail address. */
async function storePayer(phone: string, email: string): Promise<void> {
  const entry = crypto.randomUUID()
  const { db } = await servicesOn(cluster.db)
  await db
    .insertInto('whitelist')
    .values([
      { kind: 'phone', value: contactValue(phone), entry },
      { kind: 'email', value: contactValue(email), entry },
    ])
    .execute()
}

/** An account of this contact with a confirmed application. */
async function openUnpaid(contact: Contact, index: number): Promise<Unpaid> {
  const browser = attack.browser(`41.204.${index}.${contact.email === '' ? 7 : 8}`)
  const { token } = await signInWith(browser, contact)
  const id = await createApplication(browser, token)
  expect((await confirmForm(browser, { token, id }))?.status).toBe(200)
  return { token, id }
}

function payAsKnown(client: HttpClient, { token, id }: Unpaid): Promise<Answer | undefined> {
  const path = `/payments/whitelist-payment-init?applicationId=${id}`
  return client.send('POST', path, { token, body: '{}' })
}

async function countPaid(ids: string[]): Promise<number> {
  const { rows } = await sql<{ paid: number }>`
    select count(*)::integer as paid from payment
    where application_id = any(${ids}::uuid[]) and method = 'WHITELIST' and status = 'SUCCESS'`.execute(
    cluster.db,
  )
  return rows[0]?.paid ?? 0
}

/** An account with a phone number and an e-mail address, whose number no code has proven for longer than a year. */
async function openRecycled(index: number) {
  const phone = `2376782000${String(index).padStart(2, '0')}`
  const email = `recycled-${index}@example.cm`
  const browser = openBrowserOf(cluster, `41.205.${index}.7`)
  const { token, applicantId } = await signInWith(browser, byPhone(phone))
  const created = dataOf(await browser.send('POST', '/applications?lg=fr', { token, body: '{}' }))
  const id = String(created['id'])
  expect((await confirmForm(browser, { token, id }))?.status).toBe(200)
  const { db } = await servicesOn(cluster.db)
  await db
    .insertInto('contact')
    .values({ kind: 'email', value: contactValue(email), applicant_id: applicantId })
    .execute()
  await sql`
    update contact set last_proven_at = now() - make_interval(months => ${dormantMonths}, days => 1)
    where applicant_id = ${applicantId} and kind = 'phone'`.execute(cluster.db)
  return { phone, email, applicantId, browser, number: String(created['applicationNumber']) }
}

/** Enters the right code in a new browser, which then speaks to all processes. The code opens no session. */
async function takeNumber(phone: string, index: number) {
  const browser = attack.browser(`198.19.${index}.7`)
  cluster.gateway.codes.delete(phone)
  expect((await requestCode(browser, byPhone(phone))).kind).toBe('sent')
  const otp = await visitors.readCode(byPhone(phone))
  const body = JSON.stringify({ ...byPhone(phone), otp })
  const answer = await browser.send('POST', '/login?lg=fr', { body })
  expect(answer).toMatchObject({ status: 409, body: { reason: 'account-dormant' } })
  const processes = [0, 1, 2].map(each => attack.browserAt(each))
  for (const [name, value] of browser.cookies) for (const each of processes) each.cookies.set(name, value)
  return { ticket: String(dataOf(answer)['ticket']), processes }
}

type Birth = { day: string; month: string; year: string }

function answerOf(ticket: string, applicationNumber: string, birth: Birth): string {
  return JSON.stringify({ ticket, answer: { kind: 'application', applicationNumber, birth } })
}

async function countEvents(kind: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from security_event where kind = ${kind}`.execute(cluster.db)
  return rows[0]?.count ?? 0
}

async function countSessions(applicantId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from session where applicant_id = ${applicantId}`.execute(cluster.db)
  return rows[0]?.count ?? 0
}
