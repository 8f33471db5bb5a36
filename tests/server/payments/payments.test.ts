import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { decryptMessage } from '#server/features/messages/stored-message.ts'
import { applyStatus } from '#server/features/payments/provider-calls.ts'
import { nextQuerySeconds } from '#server/features/payments/status-schedule.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import { queryProviderNow } from '#server/features/payments/webhook.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type ApiFixture, type ApiApplicant, openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

let fixture: ApiFixture
let applicant: ApiApplicant
let applicationId: string

afterEach(() => fixture.close())

async function open(options: Parameters<typeof openApiFixture>[0] = {}) {
  fixture = await openApiFixture(options)
  applicant = await fixture.signIn()
  applicationId = await confirmedApplication(applicant)
}

async function confirmedApplication(by: ApiApplicant): Promise<string> {
  const id = (await by.call('createApplication')).body?.data.id ?? ''
  await by.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  return id
}

function payMock() {
  return applicant.call('startMockPayment', { query: { applicationId } })
}

function payMobile(phone = '237671234567') {
  return applicant.call('startMobilePayment', { query: { applicationId, phone } })
}

function payAggregator(name: string, otp = '') {
  return applicant.call('startAggregatorPayment', {
    query: { applicationId },
    body: { phone: '237671234567', paymentMethod: 'MTN-Money', name, otp, id: applicationId },
  })
}

function payByWhitelist(by = applicant, id = applicationId) {
  return by.call('startWhitelistPayment', { query: { applicationId: id } })
}

async function poll(id: string | undefined) {
  const answer = await applicant.call('readPayment', { params: { id: id ?? '' }, query: { applicationId } })
  return answer.body?.data.paymentStatus
}

async function state() {
  return (await applicant.call('listApplications')).body?.data[0]?.currentState
}

async function lastSuccess() {
  return (await applicant.call('listPayments', { query: { applicationId, lastSuccess: 'true' } })).body?.data
}

async function countEvents(kind: string) {
  const rows = await fixture.db.selectFrom('payment_event').select('id').where('kind', '=', kind).execute()
  return rows.length
}

async function storedPayments() {
  return fixture.db.selectFrom('payment').selectAll().orderBy('created_at').orderBy('order_id').execute()
}

describe('the mock payment of the demo', () => {
  beforeEach(() => open())

  it('is pending first, then paid, and advances the application (API31, API33, S64)', async () => {
    const { body } = await payMock()
    expect(body?.data).toMatchObject({
      orderId: expect.stringMatching(/^PO-2026-\d{6}-[0-9A-HJKMNP-TV-Z]{8}$/),
      paymentStatus: 'IN_PROGRESS',
      amount: 110_000,
      currency: 'XAF',
      needOtp: false,
    })
    expect(await poll(body?.data.id)).toBe('IN_PROGRESS')
    expect(await state()).toBe('DATA_SAVED')
    fixture.advanceMs(300)
    expect(await poll(body?.data.id)).toBe('SUCCESS')
    expect(await state()).toBe('PAYMENT_DONE')
  })

  it('is listed as the last success only after it succeeded (API34, S40)', async () => {
    const { body } = await payMock()
    expect(await lastSuccess()).toEqual([])
    fixture.advanceMs(300)
    expect(await lastSuccess()).toMatchObject([{ id: body?.data.id, paymentStatus: 'SUCCESS' }])
    expect(await state()).toBe('PAYMENT_DONE')
  })

  it('stores one order for twenty presses of Pay (D42)', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, payMock))
    expect(new Set(answers.map(({ body }) => body?.data.orderId)).size).toBe(1)
    expect(await storedPayments()).toHaveLength(1)
  })

  it('advances the application once when many calls read the payment at the same time (STA09)', async () => {
    const { body } = await payMock()
    fixture.advanceMs(300)
    const polls = await Promise.all(Array.from({ length: 20 }, () => poll(body?.data.id)))
    expect(new Set(polls)).toEqual(new Set(['SUCCESS']))
    expect(await countEvents('SUCCESS')).toBe(1)
    expect(await storedPayments()).toMatchObject([{ status: 'SUCCESS', refund_due: false }])
    expect(await state()).toBe('PAYMENT_DONE')
    const messages = await fixture.db.selectFrom('outbox').selectAll().execute()
    expect(messages).toMatchObject([{ kind: 'payment', channel: 'sms', recipient: '237671234567' }])
    expect(messages.map(row => decryptMessage(fixture.services, row)['text'])).toEqual([
      expect.stringContaining('One step left'),
    ])
  })

  it('returns the successful payment when the applicant presses Pay again', async () => {
    const { body } = await payMock()
    fixture.advanceMs(300)
    await poll(body?.data.id)
    expect((await payMock()).body?.data).toMatchObject({ id: body?.data.id, paymentStatus: 'SUCCESS' })
    expect(await storedPayments()).toHaveLength(1)
  })

  it('is refused until the data are confirmed, and while confirmed data are incomplete again', async () => {
    const newcomer = await fixture.signIn()
    const id = (await newcomer.call('createApplication')).body?.data.id ?? ''
    const early = await newcomer.call('startMockPayment', { query: { applicationId: id } })
    expect(early).toMatchObject({ status: 409, refusal: { refused: 'wrong-state' } })
    await applicant.call('saveData', { params: { id: applicationId }, body: { surname: '', draft: true } })
    expect((await payMock()).status).toBe(409)
    const body = { ...toWire(firstPassport), draft: true }
    await applicant.call('saveData', { params: { id: applicationId }, body })
    expect((await payMock()).status).toBe(200)
  })

  it.each(['APPOINTMENT_SCHEDULED', 'FAILED', 'DELETED'] as const)('is refused in %s', async refused => {
    await fixture.db
      .updateTable('application')
      .set({ state: refused })
      .where('id', '=', applicationId)
      .execute()
    expect((await payMock()).status).toBe(409)
    expect(await storedPayments()).toEqual([])
  })

  it('refuses a code when the payment needs none (API32)', async () => {
    const { body } = await payMock()
    const answer = await applicant.call('confirmPayment', {
      params: { id: body?.data.id ?? '' },
      body: { otp: '4711' },
    })
    expect(answer).toMatchObject({ status: 409, refusal: { refused: 'wrong-state' } })
  })
})

describe('the payment methods', () => {
  it('are listed with the fee, and only configured methods are enabled (PAY02, PAY04, API35)', async () => {
    await open({ env: { FEE_AMOUNT: '75000' } })
    const { body } = await applicant.call('listPaymentMethods', { query: { applicationId } })
    const types = body?.data.map(({ type, enable }) => [type, enable])
    expect(types).toEqual([
      ['MOBILE', false],
      ['CARD_UBA', false],
      ['CARD', false],
      ['BACM', false],
      ['AGGREGATOR', false],
      ['MOCK', true],
      ['WHITELIST', false],
    ])
    expect(body?.data.every(({ fee, currency }) => fee === 75_000 && currency === 'XAF')).toBe(true)
    expect(body?.data[4]?.methods).toContain('Orange-Money')
    expect((await applicant.call('listPaymentMethods')).body?.data).toEqual(body?.data)
  })

  it('contain no mock when it is not enabled (S64)', async () => {
    await open({ env: { PAYMENT_METHODS: 'WHITELIST' } })
    const { body } = await applicant.call('listPaymentMethods')
    expect(body?.data.map(({ type }) => type)).not.toContain('MOCK')
    expect(await payMock()).toMatchObject({ status: 409, refusal: { refused: 'method-unavailable' } })
  })

  it('answer in the language of the application when they are not available', async () => {
    await open()
    expect(await payMobile()).toMatchObject({
      status: 409,
      refusal: {
        refused: 'method-unavailable',
        message: expect.stringContaining('not available at the moment'),
      },
    })
    for (const name of ['startCardPayment', 'startUbaPayment'] as const)
      expect(await applicant.call(name, { query: { applicationId } })).toMatchObject({
        status: 409,
        refusal: {
          refused: 'method-unavailable',
          message: expect.stringContaining('not available at the moment'),
        },
      })
    expect(await storedPayments()).toEqual([])
  })

  it('refuse a mobile-money number that is too short or has no digit (ERR14, PAY09)', async () => {
    await open()
    for (const phone of ['', '6712345', 'abcdefgh'])
      expect(await payMobile(phone)).toMatchObject({ status: 400, refusal: { refused: 'order-not-created' } })
  })

  it('refuse a payer name with a digit or an unusual sign, or without a letter (ERR15)', async () => {
    await open({ providers: { AGGREGATOR: createScriptedProvider().provider } })
    for (const name of ['Ngo 2', 'Ngo;', '<b>', '...'])
      expect(await payAggregator(name)).toMatchObject({
        status: 400,
        refusal: { refused: 'payer-name-invalid' },
      })
    expect((await payAggregator("Éloïse N'Go-Biyong Jr.")).status).toBe(200)
  })

  it('refuse a payer name above 50 characters and a code above 8, each by its field (PAY13, PAY16)', async () => {
    await open({ providers: { AGGREGATOR: createScriptedProvider().provider } })
    expect(await payAggregator('é'.repeat(51))).toMatchObject({
      status: 422,
      refusal: { errors: [{ field: 'name', message: 'too-long-50' }] },
    })
    expect(await payAggregator('Ngo', '123456789')).toMatchObject({
      status: 422,
      refusal: { errors: [{ field: 'otp', message: 'too-long-8' }] },
    })
    expect(await storedPayments()).toEqual([])
    expect((await payAggregator('é'.repeat(50), '12345678')).status).toBe(200)
  })
})

describe('a payment of the old system', () => {
  beforeEach(async () => {
    await open()
    await fixture.db.insertInto('whitelist').values({ kind: 'phone', value: '237671234567' }).execute()
  })

  it('is listed first and counts at once (PAY31, S11)', async () => {
    const { body } = await applicant.call('listPaymentMethods', { query: { applicationId } })
    expect(body?.data[0]).toMatchObject({ type: 'WHITELIST', enable: true, fee: 110_000 })
    expect((await payByWhitelist()).body?.data.paymentStatus).toBe('SUCCESS')
    expect(await state()).toBe('PAYMENT_DONE')
    expect(await lastSuccess()).toHaveLength(1)
  })

  it('counts once under twenty calls at once, and pays for one application', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => payByWhitelist()))
    expect(new Set(answers.map(({ body }) => body?.data.id)).size).toBe(1)
    expect(answers[0]?.body?.data.paymentStatus).toBe('SUCCESS')
    const second = await confirmedApplication(applicant)
    expect((await payByWhitelist(applicant, second)).status).toBe(409)
  })

  it('is refused to other applicants', async () => {
    const other = await fixture.signIn({ phone: '237699999999' })
    const id = await confirmedApplication(other)
    const { body } = await other.call('listPaymentMethods')
    expect(body?.data.at(-1)).toMatchObject({ type: 'WHITELIST', enable: false })
    expect(await payByWhitelist(other, id)).toMatchObject({
      status: 409,
      refusal: { refused: 'method-unavailable' },
    })
  })

  it('is found by e-mail address too, also when its entry has capital letters', async () => {
    await fixture.db.insertInto('whitelist').values({ kind: 'email', value: 'Ngo@Example.cm' }).execute()
    const other = await fixture.signIn({ email: 'ngo@example.cm' })
    expect((await other.call('listPaymentMethods')).body?.data[0]?.type).toBe('WHITELIST')
  })

  it('counts while another order is open, whose late success is due for refund (F1)', async () => {
    const { body } = await payMock()
    await payByWhitelist()
    fixture.advanceMs(300)
    expect(await poll(body?.data.id)).toBe('SUCCESS')
    expect(await storedPayments()).toMatchObject([
      { method: 'MOCK', refund_due: true },
      { method: 'WHITELIST', refund_due: false },
    ])
    expect(await lastSuccess()).toMatchObject([
      { paymentStatus: 'SUCCESS', orderId: expect.any(String), methodType: 'WHITELIST' },
    ])
  })
})

describe('a payment provider', () => {
  let outside: ReturnType<typeof createScriptedProvider>
  beforeEach(async () => {
    outside = createScriptedProvider()
    await open({ providers: { MOBILE: outside.provider } })
  })

  it('gets an order that is stored with the digits of the payer’s number (PAY10, API28)', async () => {
    expect((await payMobile('+237 6 71 23 45 67')).body?.data.phoneNumber).toBe('237671234567')
    expect(await countEvents('ordered')).toBe(1)
    expect(outside.callCounts.start).toBe(1)
  })

  it('leaves the order open when it does not answer, and a second Pay returns that order (D42)', async () => {
    outside.script.start = 'silence'
    const first = await payMobile()
    expect(first.body?.data.paymentStatus).toBe('IN_PROGRESS')
    outside.script.status = 'silence'
    expect(await poll(first.body?.data.id)).toBe('IN_PROGRESS')
    expect((await payMobile()).body?.data.id).toBe(first.body?.data.id)
    expect(outside.callCounts.start).toBe(1)
  })

  it('gets no start request for an order that ended while it was prepared (D42)', async () => {
    const late: PaymentProvider = {
      ...outside.provider,
      async prepare() {
        await makeOlder(45)
        await reconcileDue(fixture.services, { MOBILE: outside.provider })
        return { kind: 'prepared', reference: 'too late' }
      },
    }
    await fixture.close()
    await open({ providers: { MOBILE: late } })
    expect(await payMobile()).toMatchObject({ refusal: { refused: 'unavailable' } })
    expect(await storedPayments()).toMatchObject([{ status: 'ERROR', sent_at: null }])
    expect(outside.callCounts.start).toBe(0)
  })

  it('ends the order when it refuses, and the next Pay opens another (ERR14)', async () => {
    outside.script.start = { kind: 'refused', problem: 'order-not-created' }
    expect(await payMobile()).toMatchObject({ status: 400, refusal: { refused: 'order-not-created' } })
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: false }
    expect((await payMobile()).status).toBe(200)
    expect(await storedPayments()).toMatchObject([{ status: 'ERROR' }, { status: 'IN_PROGRESS' }])
  })

  it.each(['pending', 'unknown', 'other-amount'] as const)(
    'leaves the payment open when it reports %s (PAY27, D42)',
    async status => {
      const { body } = await payMobile()
      outside.script.status = status
      expect(await poll(body?.data.id)).toBe('IN_PROGRESS')
      expect(await state()).toBe('DATA_SAVED')
    },
  )

  it('ends the payment when it reports a failure, and the applicant can pay again (PAY30)', async () => {
    const { body } = await payMobile()
    outside.script.status = 'failed'
    expect(await poll(body?.data.id)).toBe('ERROR')
    await makeOlder(60)
    const again = await payMobile()
    expect(again.status).toBe(200)
    expect(again.body?.data.id).not.toBe(body?.data.id)
  })

  it('gets no second order for the same number and amount within a minute, and the refusal says so (D42)', async () => {
    const { body } = await payMobile()
    outside.script.status = 'failed'
    await poll(body?.data.id)
    expect(await payMobile()).toMatchObject({
      status: 409,
      refusal: { refused: 'payment-too-soon', message: expect.stringContaining('within a minute') },
    })
    expect((await payMobile('237671234568')).status).toBe(200)
  })

  it('can report a success after a failure, and the second payment is due for refund (D42, F1)', async () => {
    const first = await payMobile()
    outside.script.status = 'failed'
    await poll(first.body?.data.id)
    await makeOlder(60)
    const second = await payMobile()
    const [failed] = await storedPayments()
    if (!failed) throw new Error('no payment')
    const { order_id: orderId, amount, currency } = failed
    const late = { kind: 'success', orderId, amount, currency } as const
    await Promise.all(Array.from({ length: 10 }, () => applyStatus(fixture.services, failed, late)))
    expect(await state()).toBe('PAYMENT_DONE')
    outside.script.status = 'success'
    expect(await poll(second.body?.data.id)).toBe('SUCCESS')
    expect(await storedPayments()).toMatchObject([
      { status: 'SUCCESS', refund_due: false },
      { status: 'SUCCESS', refund_due: true },
    ])
    expect(await countEvents('SUCCESS')).toBe(2)
    expect((await lastSuccess())?.[0]?.id).toBe(first.body?.data.id)
  })

  it('cannot change a success (D42)', async () => {
    const { body } = await payMobile()
    outside.script.status = 'success'
    await poll(body?.data.id)
    const [paid] = await storedPayments()
    if (!paid) throw new Error('no payment')
    await applyStatus(
      fixture.services,
      { ...paid, status: 'IN_PROGRESS' },
      { kind: 'failed', reason: 'EXPIRED', failure: 'expired' },
    )
    expect(await storedPayments()).toMatchObject([{ status: 'SUCCESS' }])
  })

  it('makes a payment due for refund when it reports a success for a deleted application', async () => {
    const { body } = await payMobile()
    await fixture.db
      .updateTable('application')
      .set({ state: 'DELETED' })
      .where('id', '=', applicationId)
      .execute()
    outside.script.status = 'success'
    expect(await poll(body?.data.id)).toBe('SUCCESS')
    expect(await storedPayments()).toMatchObject([{ refund_due: true }])
    expect(await state()).toBe('DELETED')
  })

  it('gets the code that it asked for, and a wrong code is refused (PAY18, API32)', async () => {
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    const { body } = await payMobile()
    expect(body?.data.needOtp).toBe(true)
    const enterCode = (otp: string) =>
      applicant.call('confirmPayment', { params: { id: body?.data.id ?? '' }, body: { otp } })
    expect(await enterCode('1234')).toMatchObject({ status: 400, refusal: { refused: 'payment-code-wrong' } })
    expect((await enterCode('4711')).body?.data.paymentStatus).toBe('SUCCESS')
    expect(await state()).toBe('PAYMENT_DONE')
  })
})

const ages = (sinceOrderSeconds: number, sinceEndSeconds: number) => ({ sinceOrderSeconds, sinceEndSeconds })

describe('the reconciler', () => {
  const stillOpen = { status: 'IN_PROGRESS', given_up_at: null } as const
  const failed = { status: 'ERROR', given_up_at: null } as const

  it('queries every 15 s for five minutes, then at 6, 11 and 26 minutes, then hourly for a day (D42)', () => {
    const moments: number[] = []
    for (let seconds = 0; seconds < 86_400; seconds = moments.at(-1) ?? Infinity)
      moments.push(seconds + (nextQuerySeconds(stillOpen, ages(seconds, 0)) ?? Infinity))
    expect(moments.slice(0, 3)).toEqual([15, 30, 45])
    expect(moments.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * 15))
    expect(moments.slice(23)).toEqual(Array.from({ length: 24 }, (_, index) => (index + 1) * 3_600))
    expect(moments.slice(19, 26)).toEqual([300, 360, 660, 1_560, 3_600, 7_200, 10_800])
    expect(moments.at(-1)).toBe(86_400)
  })

  it('queries a failed payment for a day after its end, one that it gave up without a final answer daily for a week, a successful one never (D42)', () => {
    expect([0, 100, 1_000, 90_000].map(seconds => nextQuerySeconds(failed, ages(0, seconds)))).toEqual([
      60,
      200,
      2_600,
      undefined,
    ])
    const givenUp = { status: 'ERROR', given_up_at: new Date(0) } as const
    expect([90_000, 700_000].map(seconds => nextQuerySeconds(givenUp, ages(seconds, 0)))).toEqual([
      86_400,
      undefined,
    ])
    expect(nextQuerySeconds({ status: 'SUCCESS', given_up_at: null }, ages(0, 0))).toBeUndefined()
  })

  it('queries an open order once when it is due', async () => {
    const outside = createScriptedProvider()
    const providers = { MOBILE: outside.provider }
    await open({ providers })
    await payMobile()
    await reconcileDue(fixture.services, providers)
    expect(outside.callCounts.queryStatus).toBe(0)
    await makeOlder(15)
    await Promise.all([reconcileDue(fixture.services, providers), reconcileDue(fixture.services, providers)])
    expect(outside.callCounts.queryStatus).toBe(1)
    outside.script.status = 'success'
    await makeOlder(15)
    await reconcileDue(fixture.services, providers)
    expect(await state()).toBe('PAYMENT_DONE')
  })

  it('queries an order in its next run when the provider reports a change while the reconciler gives the order up (D42)', async () => {
    const outside = createScriptedProvider()
    const webhook = { send: async () => {} }
    const provider: PaymentProvider = {
      ...outside.provider,
      async queryStatus(order) {
        const status = await outside.provider.queryStatus(order)
        await webhook.send()
        return status
      },
    }
    await open({ providers: { MOBILE: provider } })
    const id = (await payMobile()).body?.data.id ?? ''
    await makeOlder(86_400)
    webhook.send = () => queryProviderNow(fixture.services, { MOBILE: provider }, id)
    await reconcileDue(fixture.services, { MOBILE: provider })
    expect(await storedPayments()).toMatchObject([{ status: 'ERROR', given_up_at: expect.any(Date) }])
    outside.script.status = 'success'
    await reconcileDue(fixture.services, { MOBILE: provider })
    expect(await state()).toBe('PAYMENT_DONE')
  })

  it('fails an order after a day without a final answer, allows another method, names help and accepts a late success (D42)', async () => {
    const outside = createScriptedProvider()
    const providers = { MOBILE: outside.provider, AGGREGATOR: createScriptedProvider().provider }
    await open({ providers })
    await payMobile()
    await makeOlder(86_400)
    await reconcileDue(fixture.services, providers)
    expect(await storedPayments()).toMatchObject([{ status: 'ERROR', given_up_at: expect.any(Date) }])
    const [attempt] = (await attempts()) ?? []
    expect(attempt).toMatchObject({ state: 'ERROR', next: 'ask-help', nextAt: expect.any(String) })
    expect((await payAggregator('Ngo')).status).toBe(200)
    outside.script.status = 'success'
    await makeOlder(86_400)
    await reconcileDue(fixture.services, providers)
    expect(await state()).toBe('PAYMENT_DONE')
    expect((await attempts())?.at(-1)).toMatchObject({ state: 'SUCCESS', next: 'paid', nextAt: null })
  })

  it('accepts that a provider does not know an order only when no request for it can still be running (D42)', async () => {
    const outside = createScriptedProvider()
    const providers = { MOBILE: outside.provider }
    await open({ providers })
    await payMobile()
    outside.script.status = 'missing'
    // The order was stored long ago and is being sent now.
    await makeOlder(60)
    await fixture.db
      .updateTable('payment')
      .set({ sent_at: sql<Date>`now()` })
      .execute()
    await reconcileDue(fixture.services, providers)
    expect(outside.callCounts.queryStatus).toBe(1)
    expect((await storedPayments())[0]?.status).toBe('IN_PROGRESS')
    await makeOlder(45)
    await reconcileDue(fixture.services, providers)
    expect((await storedPayments())[0]?.status).toBe('ERROR')
  })

  it('ends an order that was never sent, but only when no request can still send it (D42)', async () => {
    const outside = createScriptedProvider()
    const providers = { MOBILE: outside.provider }
    await open({ providers })
    await payMobile()
    await fixture.db.updateTable('payment').set({ sent_at: null }).execute()
    outside.script.status = 'silence'
    await makeOlder(15)
    await reconcileDue(fixture.services, providers)
    expect((await storedPayments())[0]?.status).toBe('IN_PROGRESS')
    await makeOlder(30)
    await reconcileDue(fixture.services, providers)
    expect((await storedPayments())[0]?.status).toBe('ERROR')
    expect(outside.callCounts.queryStatus).toBe(0)
    expect((await payMobile()).status).toBe(200)
  })
})

function attempts() {
  return applicant
    .call('listPaymentAttempts', { params: { id: applicationId } })
    .then(({ body }) => body?.data)
}

/** Makes the stored payments older, because `advanceMs` does not move the clock of the database. */
async function makeOlder(seconds: number) {
  const older = (column: string) => sql<Date>`${sql.ref(column)} - make_interval(secs => ${seconds})`
  await fixture.db
    .updateTable('payment')
    .set({
      created_at: older('created_at'),
      sent_at: older('sent_at'),
      ask_at: older('ask_at'),
      settled_at: older('settled_at'),
    })
    .execute()
}
