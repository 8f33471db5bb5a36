import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture.close())

let payers = 0

/** Pays with a number whose payer gets a code from the simulated wallet. */
async function startWithCode() {
  payers += 1
  const payer = await fixture.newPaymentApplicant('collect')
  const phone = `2376540${String(payers).padStart(3, '0')}56`
  const answer = await pay(payer, phone)
  return { payer, phone, answer, id: (await payer.order()).id }
}

function pay({ browser, applicationId }: PaymentApplicant, phone: string) {
  return browser.call('startAggregatorPayment', {
    query: { applicationId },
    // `otp`: the PIN that Yoomee Money needs with each order (PAY15), not the code that comes after it.
    body: { phone, paymentMethod: 'Yoomee-Money', name: 'Ngo Biyong', otp: '1234' },
  })
}

type Started = Awaited<ReturnType<typeof startWithCode>>

function enter({ payer, id }: Started, otp: string, options: { key?: string } = {}) {
  return payer.browser.call('confirmPayment', { params: { id }, body: { otp }, ...options })
}

/** The server has sent a code to the provider, whose answer is not stored. */
async function sendCodeWithoutAnswer({ id }: Started) {
  const { db } = fixture.server.services
  await db.insertInto('payment_event').values({ payment_id: id, kind: 'code-sent' }).execute()
}

async function makeCodesOlder({ id }: Started) {
  const { db } = fixture.server.services
  await sql`update payment_event set at = at - interval '10 minutes' where payment_id = ${id}`.execute(db)
}

async function countEvents(id: string, kind: string): Promise<number> {
  const events = fixture.server.services.db
    .selectFrom('payment_event')
    .select('id')
    .where('payment_id', '=', id)
  return (await events.where('kind', '=', kind).execute()).length
}

/** The server has stopped before it got the answer to the order. */
async function startWithLostAnswer() {
  const started = await startWithCode()
  const { db } = fixture.server.services
  await db
    .updateTable('payment')
    .set({ need_otp: false, provider_reference: null })
    .where('id', '=', started.id)
    .execute()
  await db.deleteFrom('payment_event').where('payment_id', '=', started.id).execute()
  // The order was sent at least 5 s ago.
  await started.payer.makeOlderBySeconds(5)
  return started
}

describe('an aggregator wallet that asks for a code', () => {
  it('makes the portal ask for the code, and pays after the right code (PAY18, API32)', async () => {
    const started = await startWithCode()
    const { payer } = started
    expect(started.answer).toMatchObject({ body: { data: { needOtp: true, paymentStatus: 'IN_PROGRESS' } } })
    expect((await payer.attempts())[0]).toMatchObject({ next: 'waiting-for-code' })
    expect(await enter(started, '471147')).toMatchObject({
      body: { data: { paymentStatus: 'IN_PROGRESS', needOtp: false } },
    })
    // The payer has entered the code: the portal does not ask for it again.
    expect((await payer.attempts())[0]).toMatchObject({ next: 'asking-operator' })
    await fixture.deliver(payer.simulator.decide((await payer.order()).order_id, 'success'))
    await expect.poll(() => payer.facts()).toMatchObject({ state: 'PAYMENT_DONE', counted: 1 })
  })

  it('refuses a wrong code with a text of the error list, and accepts the right one after it (ERR18)', async () => {
    const started = await startWithCode()
    expect(await enter(started, '0000')).toMatchObject({
      status: 400,
      failure: {
        statusCode: 1,
        errors: [{ field: 'otp', message: 'The payment code is incorrect. Check it and try again.' }],
      },
    })
    expect((await enter(started, '471147')).status).toBe(200)
  })

  it('gets one code at a time, and at most five, however many arrive together (D96, D97)', async () => {
    const started = await startWithCode()
    const together = await Promise.all(Array.from({ length: 6 }, () => enter(started, '0000')))
    const counts = (status: number) => together.filter(answer => answer.status === status).length
    // The first one is with the provider while most others arrive.
    expect(counts(400)).toBeGreaterThan(0)
    expect(counts(400)).toBeLessThanOrEqual(5)
    for (const answer of together.filter(({ status }) => status !== 400))
      expect([409, 429]).toContain(answer.status)
    let last = await enter(started, '0000')
    for (let more = 0; more < 5; more += 1) last = await enter(started, '0000')
    expect(last).toMatchObject({ status: 409, failure: { reason: 'payment-codes' } })
    expect(await countEvents(started.id, 'code-sent')).toBe(5)
    expect(await countEvents(started.id, 'code-refused')).toBe(5)
    // The right code comes too late, and the order can be canceled.
    expect((await enter(started, '471147')).status).toBe(409)
    const { payer, id } = started
    expect(await payer.browser.call('cancelPayment', { params: { id } })).toMatchObject({
      body: { data: { paymentStatus: 'ERROR' } },
    })
  })

  it('refuses a second code while the provider has the first one (D96)', async () => {
    const started = await startWithCode()
    await sendCodeWithoutAnswer(started)
    expect(await enter(started, '471147')).toMatchObject({ status: 429 })
    await makeCodesOlder(started)
    expect((await enter(started, '471147')).status).not.toBe(429)
  })

  it('does not wait for a code that was sent while the clock of the database was a day ahead (D95)', async () => {
    const started = await startWithCode()
    await sendCodeWithoutAnswer(started)
    await sql`update payment_event set at = at + interval '1 day' where payment_id = ${started.id}`.execute(
      fixture.server.services.db,
    )
    expect((await enter(started, '0000')).status).toBe(400)
    // The time of the earlier code does not end the wait for this one.
    await sendCodeWithoutAnswer(started)
    expect((await enter(started, '471147')).status).toBe(429)
  })

  it('says when a code can be sent again, and then sends it under the same key (D13, D96)', async () => {
    const started = await startWithCode()
    await sendCodeWithoutAnswer(started)
    const retry = { key: randomUUID() }
    const refused = await enter(started, '471147', retry)
    expect(refused).toMatchObject({ status: 429, failure: { reason: 'too-many-requests' } })
    await makeCodesOlder(started)
    expect((await enter(started, '471147', retry)).status).toBe(200)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(40)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(45)
  })

  it('ends the order when the code has expired, so that the applicant can pay again (ERR18, D42)', async () => {
    const started = await startWithCode()
    const { payer, phone } = started
    expect(await enter(started, '9999')).toMatchObject({
      status: 400,
      failure: { statusCode: 2, reason: 'payment-code-expired' },
    })
    expect(await payer.status()).toBe('ERROR')
    await payer.makeOlderBySeconds(60)
    expect(await pay(payer, phone)).toMatchObject({ body: { data: { needOtp: true } } })
    expect(await payer.stored()).toHaveLength(2)
  })

  describe('when the server stopped before it got the answer to the order (PAY18, D42)', () => {
    it('makes the portal ask for the code after the next status query, and pays after it', async () => {
      const started = await startWithLostAnswer()
      const { payer } = started
      expect((await payer.attempts())[0]).not.toMatchObject({ next: 'waiting-for-code' })
      expect(await payer.poll()).toBe('IN_PROGRESS')
      expect((await payer.attempts())[0]).toMatchObject({ next: 'waiting-for-code' })
      expect(await enter(started, '471147')).toMatchObject({ body: { data: { needOtp: false } } })
      // The webhook makes the server query the status again.
      await payer.makeOlderBySeconds(5)
      await fixture.deliver(payer.simulator.decide((await payer.order()).order_id, 'success'))
      await expect.poll(() => payer.facts()).toMatchObject({ state: 'PAYMENT_DONE', counted: 1 })
    })

    it('does not ask again for a code that the payer has entered', async () => {
      const { payer, id } = await startWithLostAnswer()
      await fixture.server.services.db
        .insertInto('payment_event')
        .values({ payment_id: id, kind: 'code-sent' })
        .execute()
      expect(await payer.poll()).toBe('IN_PROGRESS')
      expect((await payer.attempts())[0]).toMatchObject({ next: 'asking-operator' })
      expect(await payer.order()).toMatchObject({ need_otp: false })
    })
  })
})
