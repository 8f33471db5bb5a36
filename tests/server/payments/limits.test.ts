import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { createScriptedProvider } from './scripted-provider.ts'

let server: TestServer
let outside: ReturnType<typeof createScriptedProvider>
let applicant: SignedInDirectly
let applicationId: string

beforeEach(async () => {
  outside = createScriptedProvider()
  server = await startTestServer({ offices: 'none', providers: { MOBILE: outside.provider } })
  applicant = await signInDirectly(server)
  applicationId = bodyOf(await applicant.call('createApplication')).data.id
  await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) })
})
afterEach(() => server.close())

function pay(index = 0) {
  const phone = String(237_671_000_000 + index)
  return applicant.call('startMobilePayment', { query: { applicationId, phone } })
}

function poll(id: string) {
  return applicant.call('readPayment', { params: { id }, query: { applicationId } })
}

/** Orders a payment, and stores all orders as failed. */
async function payInVain(index: number) {
  const answer = await pay(index)
  await server.services.db.updateTable('payment').set({ status: 'ERROR' }).execute()
  return answer
}

function webhook(orderId: string) {
  const payload = { externalId: orderId, status: 'SUCCESSFUL' }
  return server.app.inject({ method: 'PUT', url: '/hooks/payments/mtn', payload })
}

async function orderNumberOf(id: string) {
  const { order_id } = await server.services.db
    .selectFrom('payment')
    .select('order_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return order_id
}

describe('the orders of one application (D97)', () => {
  it('are refused after ten of a day that went to a provider, and the next day they are not', async () => {
    for (let index = 0; index < 10; index += 1) expect((await payInVain(index)).status).toBe(200)
    expect(await pay(10)).toMatchObject({
      status: 409,
      failure: { reason: 'payment-attempts', message: expect.stringContaining('tomorrow') },
    })
    expect(outside.callCounts.start).toBe(10)
    await server.services.db
      .updateTable('payment')
      .set({ created_at: sql<Date>`created_at - interval '1 day'` })
      .execute()
    expect((await pay(11)).status).toBe(200)
  })

  it('have numbers that cannot be guessed, and that do not come again after a restored backup', async () => {
    const numbers = []
    for (let index = 0; index < 3; index += 1) {
      numbers.push(await orderNumberOf(bodyOf(await payInVain(index)).data.id))
      await sql`select setval('payment_order_seq', 1, false)`.execute(server.services.db)
    }
    expect(new Set(numbers).size).toBe(3)
    for (const number of numbers) expect(number).toMatch(/^PO-\d{4}-000001-[0-9A-HJKMNP-TV-Z]{8}$/)
  })
})

describe('a webhook with a character that no order number has', () => {
  it.each(['mtn', 'orange', 'cinetpay', 'smobilpay'])(
    'is answered as one for an unknown order: %s',
    async source => {
      const json = { externalId: 'a\0', payToken: 'a\0', trid: 'a\0' }
      const isForm = source === 'cinetpay'
      const { statusCode } = await server.app.inject({
        method: 'POST',
        url: `/hooks/payments/${source}`,
        headers: { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' },
        payload: isForm ? 'cpm_trans_id=a%00' : JSON.stringify(json),
      })
      expect(statusCode).toBe(200)
      expect(server.warnings).toEqual([])
    },
  )
})

describe('the orders for one paying number (D97)', () => {
  it('are one a minute, however clients write the number', async () => {
    const payers = [
      '237691234567',
      '691234567',
      '0691234567',
      '00237691234567',
      '+237 6 91 23 45 67',
      '237237691234567',
    ]
    const reasons: (string | undefined)[] = []
    for (const [index, phone] of payers.entries()) {
      const payer = await signInDirectly(server, { phone: `23767000010${index}` })
      const { id } = bodyOf(await payer.call('createApplication')).data
      await payer.call('confirmData', { params: { id }, body: toWire(firstPassport) })
      const answer = await payer.call('startMobilePayment', { query: { applicationId: id, phone } })
      reasons.push(answer.kind === 'failed' ? answer.failure.reason : 'sent')
    }
    expect(reasons).toEqual(['sent', ...Array.from({ length: 5 }, () => 'payment-too-soon')])
    expect(outside.callCounts.start).toBe(1)
  })
})

/** Orders a payment from the number. Then sets its status (failed by default) and moves its times five minutes back. */
async function orderFrom(
  phone: string,
  payer: SignedInDirectly,
  status: 'ERROR' | 'SUCCESS' | 'IN_PROGRESS' = 'ERROR',
) {
  const { id } = bodyOf(await payer.call('createApplication')).data
  await payer.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  const answer = await payer.call('startMobilePayment', { query: { applicationId: id, phone } })
  const longAgo = sql<Date>`created_at - interval '5 minutes'`
  await server.services.db
    .updateTable('payment')
    .set({ status, created_at: longAgo, sent_at: sql<Date>`sent_at - interval '5 minutes'` })
    .where('application_id', '=', id)
    .execute()
  return answer
}

let strangers = 0
function newStranger() {
  strangers += 1
  return signInDirectly(server, { phone: String(237_670_001_000 + strangers) })
}

describe('the unpaid orders of a day for one paying number, of all accounts (D97)', () => {
  const number = '237671234567'

  it('are ten, and then another account is told to use another number or another method', async () => {
    for (let index = 0; index < 10; index += 1)
      expect((await orderFrom(number.slice(index % 2 === 0 ? 0 : 3), await newStranger())).status).toBe(200)
    const late = await newStranger()
    expect(await orderFrom(number, late)).toMatchObject({
      status: 409,
      failure: {
        reason: 'payment-number-attempts',
        message: expect.stringMatching(/another number.+another method/),
      },
    })
    expect(outside.callCounts.start).toBe(10)
    expect((await orderFrom('237671234568', late)).status).toBe(200)
    await server.services.db
      .updateTable('payment')
      .set({ created_at: sql<Date>`created_at - interval '1 day'` })
      .execute()
    expect((await orderFrom(number, await newStranger())).status).toBe(200)
  })

  it('do not stop the account that has proven the number, and its own orders do not count', async () => {
    const owner = await signInDirectly(server, { phone: number })
    for (let index = 0; index < 3; index += 1) expect((await orderFrom(number, owner)).status).toBe(200)
    for (let index = 0; index < 10; index += 1)
      expect((await orderFrom(number, await newStranger())).status).toBe(200)
    expect((await orderFrom(number, await newStranger())).status).toBe(409)
    expect((await orderFrom(number.slice(3), owner)).status).toBe(200)
  })

  it('leave out paid orders and those that a provider refused immediately; open ones count', async () => {
    for (let index = 0; index < 3; index += 1) await orderFrom(number, await newStranger(), 'SUCCESS')
    outside.script.start = { kind: 'refused', problem: 'order-not-created' }
    for (let index = 0; index < 3; index += 1) await orderFrom(number, await newStranger())
    outside.script.start = { kind: 'accepted', reference: 'their-reference', needsPayerCode: false }
    for (let index = 0; index < 10; index += 1)
      expect((await orderFrom(number, await newStranger(), 'IN_PROGRESS')).status).toBe(200)
    expect((await orderFrom(number, await newStranger())).status).toBe(409)
  })

  it('are thirty at most if those are counted that a provider refused immediately, because the owner cannot pay while one is being sent', async () => {
    outside.script.start = { kind: 'refused', problem: 'order-not-created' }
    const stranger = await newStranger()
    const other = await newStranger()
    const reasons = []
    for (let index = 0; index < 31; index += 1) {
      const answer = await orderFrom(number, index % 2 === 0 ? stranger : other)
      reasons.push(answer.kind === 'failed' ? answer.failure.reason : 'sent')
    }
    expect(new Set(reasons.slice(0, 30))).toEqual(new Set(['order-not-created']))
    expect(reasons[30]).toBe('payment-number-attempts')
    expect(outside.callCounts.start).toBe(30)
    outside.script.start = { kind: 'accepted', reference: 'their-reference', needsPayerCode: false }
    const owner = await signInDirectly(server, { phone: number })
    expect((await orderFrom(number, owner)).status).toBe(200)
  })
})

describe('the calls of one applicant (D97)', () => {
  it('are refused with 429 and Retry-After after thirty orders in a row, and allowed again later', async () => {
    const statuses = []
    for (let index = 0; index < 31; index += 1) statuses.push((await pay(index % 2)).status)
    expect(statuses.slice(0, 30)).not.toContain(429)
    const refused = await server.app.inject({
      method: 'POST',
      url: `/api/v1/payments/mobile-payment-init?applicationId=${applicationId}&phone=237671000001`,
      headers: { authorization: `Bearer ${applicant.token}` },
    })
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('6')
    expect(refused.json()).toMatchObject({ reason: 'too-many-requests', data: { seconds: 6 } })
    server.clock.advanceSeconds(6)
    expect((await pay()).status).toBe(200)
  })

  it('are refused with 429 after 120 polls and after 20 files in a row', async () => {
    const { id } = bodyOf(await pay()).data
    const polls = []
    for (let index = 0; index < 121; index += 1) polls.push((await poll(id)).status)
    expect(polls).toEqual([...Array.from({ length: 120 }, () => 200), 429])
    const files = []
    for (let index = 0; index < 21; index += 1)
      files.push((await applicant.call('paymentProof', { params: { id: applicationId } })).status)
    expect(files).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })
})

describe('the files of one applicant', () => {
  it('are refused after twenty receipts and proofs together (D97)', async () => {
    const params = { id: applicationId }
    for (let index = 0; index < 20; index += 1) await applicant.call('getPdf', { params, query: {} })
    expect((await applicant.call('paymentProof', { params })).status).toBe(429)
  })

  it('include a proof of payment that is the same a minute later, so that it is drawn once (D97)', async () => {
    const proof = { params: { id: applicationId } }
    const first = bodyOf(await applicant.call('paymentProof', proof))
    server.clock.advanceSeconds(60)
    expect(bodyOf(await applicant.call('paymentProof', proof))).toEqual(first)
  })
})

describe('a payment that cannot be started now', () => {
  it('answers 503 with Retry-After, as any other call that should come again (D92)', async () => {
    outside.script.start = { kind: 'refused', problem: 'unavailable' }
    const { status, headers } = await pay()
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(5)
  })
})

describe('a payment provider (D97)', () => {
  it('gets one status query in two seconds, however often the applicant polls', async () => {
    const { id } = bodyOf(await pay()).data
    for (let index = 0; index < 20; index += 1) expect((await poll(id)).status).toBe(200)
    await applicant.call('listPayments', { query: { applicationId } })
    expect(outside.callCounts.queryStatus).toBe(1)
    await server.advanceSeconds(3)
    await poll(id)
    expect(outside.callCounts.queryStatus).toBe(2)
  })

  it('gets one status query from twenty polls at the same moment (D96)', async () => {
    const { id } = bodyOf(await pay()).data
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(outside.callCounts.queryStatus).toBe(1)
  })

  it('gets a status query at once after each of the first five webhooks of an order, and then once a minute', async () => {
    const orderId = await orderNumberOf(bodyOf(await pay()).data.id)
    for (let index = 0; index < 20; index += 1) {
      await server.advanceSeconds(3)
      expect((await webhook(orderId)).statusCode).toBe(200)
    }
    expect(outside.callCounts.queryStatus).toBe(5)
    await server.advanceSeconds(60)
    await webhook(orderId)
    expect(outside.callCounts.queryStatus).toBe(6)
  })

  it('leaves at most five rows about webhooks in the history of an order, however long they come', async () => {
    const { id } = bodyOf(await pay()).data
    const orderId = await orderNumberOf(id)
    for (let index = 0; index < 8; index += 1) {
      await server.advanceSeconds(61)
      await webhook(orderId)
    }
    expect(outside.callCounts.queryStatus).toBe(8)
    const woken = await server.services.db
      .selectFrom('payment_event')
      .select('id')
      .where('payment_id', '=', id)
      .where('kind', '=', 'woken')
      .execute()
    expect(woken).toHaveLength(5)
  })

  it('causes no further write to an order during a flood of its webhooks, and one afterwards', async () => {
    const { id } = bodyOf(await pay()).data
    const orderId = await orderNumberOf(id)
    /** The transaction that has written the row last. */
    const lastWrite = async () => {
      const { rows } = await sql<{ xmin: string }>`
        select xmin::text from payment where id = ${id}`.execute(server.services.db)
      return rows[0]?.xmin
    }
    for (let index = 0; index < 20; index += 1) await webhook(orderId)
    const before = await lastWrite()
    for (let index = 0; index < 20; index += 1) expect((await webhook(orderId)).statusCode).toBe(200)
    expect(await lastWrite()).toBe(before)
    server.clock.advanceSeconds(60)
    await webhook(orderId)
    expect(await lastWrite()).not.toBe(before)
  })

  it('gets no status query because of a webhook for an order that is older than a month', async () => {
    const { id } = bodyOf(await pay()).data
    const orderId = await orderNumberOf(id)
    await server.advanceSeconds(31 * 86_400)
    await webhook(orderId)
    expect(outside.callCounts.queryStatus).toBe(0)
  })

  it('gets no status query because of a webhook during a flood of unknown ones, and one because of a webhook after it', async () => {
    const orderId = await orderNumberOf(bodyOf(await pay()).data.id)
    for (let index = 0; index < 101; index += 1) await webhook(`PO-2026-${index}`)
    await webhook(orderId)
    expect(outside.callCounts.queryStatus).toBe(0)
    await server.advanceSeconds(10)
    await webhook(orderId)
    expect(outside.callCounts.queryStatus).toBe(1)
  })
})
