import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dateInDays } from '#support/data/dates.ts'
import { largeOfficeId, createApplicants, type SeededApplicant } from '#support/data/paying-applicants.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { type Attack, openBrowserOf, repeat, startAttack } from './attack.ts'
import { type Bystanders, openBystanders } from './bystanders.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { createDemand } from './demand.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'
import type { Answer, HttpClient } from './http-client.ts'
import { neverApprovingPrefix } from './payers.ts'
import { printFigures } from './report.ts'
import { byPhone, createVisitors, enterCode, requestCode, type Visitors } from './visitor.ts'

let cluster: Cluster
let visitors: Visitors
let attack: Attack
let bystanders: Bystanders

beforeAll(async () => {
  cluster = await openCluster({ environment: { DATABASE_LOCK_SECONDS: '20', CAPTCHA_WORK: '10' } })
  visitors = createVisitors(cluster)
})
afterAll(() => cluster?.close())
beforeEach(async () => {
  bystanders = await openBystanders(cluster, visitors)
  attack = startAttack(cluster, bystanders)
  return () => attack.close()
})

const attackerAddress = '198.18.0.1'

describe('one account that demands costly work', () => {
  it('is refused with a time to come back, and slows down the other applicants little (D97)', async () => {
    const quiet = await serveOthers(0)
    const [account, booked] = await createApplicants(cluster.db, 2)
    if (!account || !booked) throw new Error('Expected two applications')
    await makeUnpaid(account)
    await bookAt(browserAt(0), booked, '08:00:00')
    // One account has both applications: one to pay for, one with a receipt.
    await sql`update application set applicant_id = ${account.applicantId} where id = ${booked.applicationId}`.execute(
      cluster.db,
    )
    attack.close()
    attack = startAttack(cluster, bystanders)
    const browser = attack.browser(attackerAddress)
    const working = repeat({ times: 1_200, atOnce: 8 }, index => demandWork(browser, index, account, booked))
    const loud = await serveOthers(1_000)
    await working

    const orders = await ordersSent(account)
    const figures = { ordersAtGateways: orders, p95MsOfOthers: loud.p95Ms, p95MsBefore: quiet.p95Ms }
    await attack.printAndExpectNoLockout('orders, proofs and receipts in a loop', figures, loud.requests)
    expect(attack.figures.tooMany).toBeGreaterThan(300)
    expect(attack.figures).toMatchObject({ failed: 0, withoutRetryAfter: 0 })
    expect(orders).toBeGreaterThan(1)
    expect(orders).toBeLessThanOrEqual(10)
    // The limit of load.test.ts, or on a busy machine three times as long as before the attack.
    expect(loud.p95Ms).toBeLessThanOrEqual(Math.max(2_000, 3 * quiet.p95Ms))
  })
})

describe('a flood of status queries to a payment provider', () => {
  it('reaches it at most once in two seconds, by polls and webhooks, and never for a guessed order (D97)', async () => {
    const [account] = await createApplicants(cluster.db, 1)
    if (!account) throw new Error('Expected an application')
    await makeUnpaid(account)
    const browser = attack.browser(attackerAddress)
    const { token, applicationId } = account
    const query = `applicationId=${applicationId}`
    const started = await browser.send(
      'POST',
      `/payments/mobile-payment-init?${query}&phone=${neverApprovingPrefix}000001`,
      { token, body: '{}' },
    )
    const payment = dataOf(started)
    const paymentId = String(payment['id'])
    const orderId = String(payment['orderId'])
    const before = cluster.payers.counts().statusQueries
    const startMs = performance.now()
    await repeat({ times: 1_500, atOnce: 8 }, index => {
      if (index % 3 === 0) return browser.send('GET', `/payments/${paymentId}?${query}`, { token })
      const order = index % 3 === 1 ? guessedOrder(orderId, index) : orderId
      const body = JSON.stringify({ externalId: order, status: 'SUCCESSFUL' })
      return browser.send('PUT', '/hooks/payments/mtn', { body })
    })
    const seconds = (performance.now() - startMs) / 1_000
    const statusQueries = cluster.payers.counts().statusQueries - before
    await attack.printAndExpectNoLockout('polls and webhooks', {
      statusQueries,
      seconds: Math.round(seconds),
    })
    expect(statusQueries).toBeGreaterThan(0)
    // The reconciler queries on its own from time to time.
    expect(statusQueries).toBeLessThanOrEqual(seconds / 2 + 4)
    expect(attack.figures.failed).toBe(0)
    expect(await statusesOf(account)).toEqual(['IN_PROGRESS'])
  })
})

describe('calls at the same moment at three processes', () => {
  it('confirm one change of an appointment only (CHANGE_LIMIT, D96)', async () => {
    const applicants = await createApplicants(cluster.db, 5)
    for (const applicant of applicants) {
      const id = await bookAt(browserAt(0), applicant, '09:00:00')
      const first = dataOf(await change(browserAt(0), applicant, id, '10:00:00'))
      const answers = await forceRace(cluster.db, {
        lock: rowOfApplication(applicant.applicationId),
        actions: [
          () => confirmAt(browserAt(0), applicant, String(first['id'])),
          () => change(browserAt(1), applicant, id, '11:00:00'),
          () => change(browserAt(2), applicant, id, '12:00:00'),
        ],
      })
      // Tries to confirm also what was held beside the first change.
      for (const [index, answer] of answers.entries())
        if (answer?.status === 200 && index > 0)
          await confirmAt(browserAt(index), applicant, String(dataOf(answer)['id']))
    }
    const ids = applicants.map(({ applicationId }) => applicationId)
    const { rows } = await sql<{ changes: number; confirmed: number; applications: number }>`
      select max(changes_used) as changes, count(appointment.id)::integer as confirmed,
        count(distinct application.id)::integer as applications
      from application join appointment on appointment.application_id = application.id and appointment.state = 'CONFIRMED'
      where application.id = any(${ids}::uuid[])`.execute(cluster.db)
    await attack.printAndExpectNoLockout('changes at once', {
      races: ids.length,
      mostChanges: rows[0]?.changes ?? 0,
    })
    expect(rows).toEqual([{ changes: 1, confirmed: ids.length, applications: ids.length }])
  })

  it('send one of three orders for the same number (D42, D96)', async () => {
    const applicants = await createApplicants(cluster.db, 3)
    for (const applicant of applicants) await makeUnpaid(applicant)
    const phone = `${neverApprovingPrefix}777777`
    const before = cluster.payers.counts().orders
    const pay = (index: number, { token, applicationId }: SeededApplicant) =>
      browserAt(index).send(
        'POST',
        `/payments/mobile-payment-init?applicationId=${applicationId}&phone=${phone}`,
        {
          token,
          body: '{}',
        },
      )
    const answers = await forceRace(cluster.db, {
      // Holds the first order between its check and its commit.
      lock: sql`lock table payment_event in exclusive mode`,
      actions: applicants.map((applicant, index) => () => pay(index, applicant)),
    })
    const sent = await Promise.all(applicants.map(ordersSent))
    const orders = cluster.payers.counts().orders - before
    await attack.printAndExpectNoLockout('orders for one number at once', {
      races: 1,
      ordersAtProviders: orders,
    })
    expect(answers.map(answer => answer?.status).toSorted((one = 0, other = 0) => one - other)).toEqual([
      200, 409, 409,
    ])
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(orders).toBe(1)
  })

  it('open one session with one code (D21)', async () => {
    const races = 10
    for (let race = 0; race < races; race += 1) {
      const phone = `23767900000${race}`
      const browser = attack.browser('41.202.1.7')
      await requestCode(browser, byPhone(phone))
      const otp = await visitors.readCode(byPhone(phone))
      const logIn = (index: number) => {
        const client = browserAt(index)
        for (const [name, value] of browser.cookies) client.cookies.set(name, value)
        return enterCode(client, byPhone(phone), otp)
      }
      const sessions = await forceRace(cluster.db, {
        lock: sql`select from one_time_code order by id desc limit 1 for update`,
        actions: [0, 1, 2].map(index => async () => {
          // A try counts, and sets a wait, before its code is compared: the third try would be refused (D125).
          await sql`update challenge set next_try_at = null`.execute(cluster.db)
          return logIn(index)
        }),
      })
      const applicantId = sessions.find(session => session !== undefined)?.applicantId ?? ''
      const { rows } = await sql`
        select count(*)::integer as sessions from session where applicant_id = ${applicantId}`.execute(
        cluster.db,
      )
      expect(rows).toEqual([{ sessions: 1 }])
    }
    await attack.printAndExpectNoLockout('one code at once', { races })
  })
})

describe('a thief with the access token of an open session', () => {
  it('changes no contact at any process; a log-out without the cookie ends the session everywhere (D22, D70)', async () => {
    const phone = '237679100000'
    const owner = openBrowserOf(cluster, '41.202.2.7')
    const session = await visitors.signIn(owner, byPhone(phone))
    if (!session) throw new Error('The owner was refused')
    const { token, applicantId } = session
    const body = JSON.stringify({ msisdn: '', email: 'thief@example.cm', otp: '123456', kind: 'phone' })
    const answers: string[] = []
    for (const path of ['/contacts', '/contacts/confirm', '/account/contacts/remove', '/account/delete'])
      for (const index of [0, 1, 2])
        answers.push(summaryOf(path, await browserAt(index).send('POST', `${path}?lg=fr`, { token, body })))
    const { contacts } = await cluster.db
      .selectFrom('contact')
      .select(sql<number>`count(*)::integer`.as('contacts'))
      .where('applicant_id', '=', applicantId)
      .executeTakeFirstOrThrow()

    const loggedOut = await browserAt(0).send('POST', '/refresh-token/logout', { token, body: '{}' })
    const afterwards = await Promise.all(
      [0, 1, 2].map(index => browserAt(index).send('GET', '/applications', { token })),
    )
    await attack.printAndExpectNoLockout('a stolen token', {
      contacts,
      accepted: answers.filter(answer => answer.includes(' 200')).length,
    })
    expect([...new Set(answers)]).toEqual([
      '/contacts: 409 "proof-needed"',
      '/contacts/confirm: 400 "code-expired"',
      '/account/contacts/remove: 409 "wrong-state"',
      '/account/delete: 409 "proof-needed"',
    ])
    expect(contacts).toBe(1)
    expect(loggedOut?.status).toBe(200)
    expect(afterwards.map(answer => answer?.status)).toEqual([401, 401, 401])
  })
})

const browserAt = (index: number): HttpClient => attack.browserAt(index)

/** Ordinary applicants go from the sign-in to the receipt. Returns the figures of their requests. */
async function serveOthers(firstIndex: number) {
  const journeys = 60
  const demand = createDemand(cluster, { thinkMs: 200, firstIndex })
  await demand.arrive({ journeys, seconds: 20 })
  await demand.complete({ timeoutSeconds: 240 })
  const figures = demand.traffic.take()
  printFigures(firstIndex === 0 ? 'applicants before the attack' : 'applicants during the attack', figures)
  const counts = await expectNothingLost(cluster, demand)
  expect(demand.errors).toEqual([])
  expect(counts.complete).toBe(journeys)
  return figures
}

/**
 * Requests in turn the receipt, the proof of payment, and an order at each of two card gateways. Each order replaces the one
 * before.
 */
function demandWork(
  browser: HttpClient,
  index: number,
  { token, applicationId }: SeededApplicant,
  booked: SeededApplicant,
): Promise<Answer | undefined> {
  const get = (path: string) => browser.send('GET', path, { token })
  const order = (path: string) =>
    browser.send('POST', `/payments/${path}?applicationId=${applicationId}`, { token, body: '{}' })
  if (index % 4 === 0) return get(`/applications/${booked.applicationId}/get-pdf?lg=fr`)
  if (index % 4 === 1) return get(`/payments/applications/${booked.applicationId}/proof?lg=fr`)
  return order(index % 4 === 2 ? 'card-payment-init' : 'uba-payment-init')
}

/** Returns the id of the confirmed appointment. */
async function bookAt(client: HttpClient, applicant: SeededApplicant, time: string): Promise<string> {
  const { token, applicationId } = applicant
  const appointmentDate = `${dateInDays(5)}T${time}`
  const body = JSON.stringify({
    applicationId,
    officeId: String(largeOfficeId),
    appointmentDate,
    generalQueue: false,
  })
  const id = String(dataOf(await client.send('POST', '/appointments?lg=fr', { token, body }))['id'])
  await confirmAt(client, applicant, id)
  return id
}

function confirmAt(client: HttpClient, { token }: SeededApplicant, id: string): Promise<Answer | undefined> {
  return client.send('POST', `/appointments/${id}/confirm?lg=fr`, { token, body: '{}' })
}

function change(client: HttpClient, applicant: SeededApplicant, id: string, time: string) {
  const { token, applicationId } = applicant
  const appointmentDate = `${dateInDays(6)}T${time}`
  const body = JSON.stringify({
    applicationId,
    officeId: String(largeOfficeId),
    appointmentDate,
    generalQueue: false,
  })
  return client.send('POST', `/appointments/${id}?lg=fr`, { token, body })
}

function dataOf(answer: Answer | undefined): Record<string, unknown> {
  const data = answer?.body['data']
  if (typeof data !== 'object' || data === null) throw new Error(`No data: ${JSON.stringify(answer)}`)
  return { ...data }
}

function summaryOf(path: string, answer: Answer | undefined): string {
  return `${path}: ${answer?.status} ${JSON.stringify(answer?.body['reason'])}`
}

/** Returns an order number with another random part: no caller can guess the right one. */
function guessedOrder(order: string, index: number): string {
  return `${order.slice(0, -8)}${String(index).padStart(8, '0')}`
}

async function makeUnpaid({ applicationId }: SeededApplicant): Promise<void> {
  await sql`update application set state = 'DATA_SAVED' where id = ${applicationId}`.execute(cluster.db)
}

async function ordersSent({ applicationId }: SeededApplicant): Promise<number> {
  const { count } = await cluster.db
    .selectFrom('payment')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('application_id', '=', applicationId)
    .where('sent_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

async function statusesOf({ applicationId }: SeededApplicant): Promise<string[]> {
  const rows = await cluster.db
    .selectFrom('payment')
    .select('status')
    .where('application_id', '=', applicationId)
    .execute()
  return rows.map(({ status }) => status)
}
